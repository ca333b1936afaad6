"""The Mechanisms page: the kernel, its posteriors, its rivals, its side channels."""
