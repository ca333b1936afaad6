"""The visitor without a browser tells the run that it asked for from one that was under way."""

import asyncio

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.page_tree import MisplacedError, PageTree
from tests.visitor import Visitor

PART = "sliders"


class Server:
    """Takes what a visitor sends, and answers nothing by itself."""

    def __init__(self):
        self.requests = []

    async def send(self, raw):
        self.requests.append(raw)


def begins(*parts):
    message = ForwardMsg()
    message.new_session.page_script_hash = "explore"
    message.metadata.run.fragment_ids.extend(parts)
    return message


def slider(eps):
    message = ForwardMsg()
    message.delta.fragment_id = PART
    message.metadata.delta_path.extend((0, 0))
    message.delta.new_element.slider.id = "$$ID-1-eps"
    message.delta.new_element.slider.value.append(eps)
    return message


def addressed(query):
    message = ForwardMsg()
    message.page_info_changed.query_string = query
    return message


def ends(*parts):
    message = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
    message.metadata.run.fragment_ids.extend(parts)
    return message


async def moves(visitor, before, after):
    """Say of each message, those before the move and those after it, whether it ends the move."""
    for message in before:
        visitor._take(message)
    move = asyncio.create_task(visitor.move("eps", 1.0))
    while not visitor.socket.requests:
        await asyncio.sleep(0)
    done = []
    for message in after:
        visitor._take(message)
        await asyncio.sleep(0)
        done.append(move.done())
    await move
    return done


def visitor():
    return Visitor(Server(), widgets={"eps": ("$$ID-1-eps", PART)})


def test_the_end_of_a_run_under_way_does_not_end_a_move():
    result = asyncio.run(moves(visitor(), [begins()], [ends(), begins(PART), ends(PART)]))
    assert result == [False, False, True]


def test_a_run_of_the_whole_page_that_begins_after_a_move_ends_it():
    assert asyncio.run(moves(visitor(), [], [begins(), ends()])) == [False, True]


def test_a_run_of_another_part_does_not_end_a_move():
    sent = [begins("clock"), ends("clock"), begins(PART), ends(PART)]
    assert asyncio.run(moves(visitor(), [], sent)) == [False, False, False, True]


def test_a_run_that_leaves_the_address_at_the_default_does_not_end_a_move_elsewhere():
    sent = [begins(), ends(), begins(PART), addressed("eps=1"), ends(PART)]
    result = asyncio.run(moves(visitor(), [begins(), slider(2.0), ends()], sent))
    assert result == [False, False, False, False, True]


@pytest.mark.parametrize("kind", ["kept", "known"])
def test_a_message_that_counts_on_the_browsers_memory_loses_the_visit(kind):
    message = slider(1.0)
    message.metadata.cacheable = kind == "kept"
    if kind == "known":
        message.ref_hash = "of a message before"
    with pytest.raises(MisplacedError, match="memory"):
        PageTree().take(message)


def block(*place):
    message = ForwardMsg()
    message.metadata.delta_path.extend(place)
    message.metadata.active_script_hash = "explore"
    message.delta.add_block.SetInParent()
    return message


def test_the_page_that_a_run_leads_to_stands_while_its_parts_run():
    first, leads, part, late = begins(), ForwardMsg(), begins(PART), begins(PART)
    first.new_session.page_script_hash = "app"
    leads.navigation.page_script_hash = "explore"
    tree, request = PageTree(), visitor()
    for message in (first, leads, block(0, 0), part):
        tree.take(message)
    tree.take(block(0, 0, 0))
    for message in (first, leads, part):
        request._take(message)
    assert request.page == "explore"
    late.new_session.page_script_hash = "app"
    tree.take(late)  # a part of another page: a browser takes this one away
    with pytest.raises(MisplacedError, match="no child 0"):
        tree.take(block(0, 0, 0))
