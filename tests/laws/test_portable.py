"""Every op of the examples, written as plain data and read again, is the same op."""
import json

from gnomon.base.errors import Refused
from gnomon.ir.portable import Reader, Writer
from gnomon.ops import op_named
from gnomon.types.symbolic import Scope

from tests.laws.examples import examples

# what holds Python functions or devices
REFUSED = {"debug_callback", "io_callback", "pure_callback"}


def test_ops_are_read_as_they_were_written():
    refused = set()
    for op in {e.op for e in examples()}:
        writer = Writer()
        try:
            data = writer.op(op)
        except Refused:
            refused.add(op.op_name)
            continue
        programs = json.loads(json.dumps(writer.programs))
        assert Reader(programs, op_named, Scope()).op(*json.loads(json.dumps(data))) is op, op
    assert refused == REFUSED
