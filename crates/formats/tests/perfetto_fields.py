"""Prints the packets of Perfetto traces as Python's protobuf decodes them.

usage: perfetto_fields.py messages.txt FILE...

Prints for each file:
  F <file>
  B                                   for a packet that is broken
  P <sequence> <timestamp> <clock> <clears state> <payload's number, 0 if it is not known>
  M <message> <field>=<value> ...     for payloads and kernel events that messages.txt describes
and first of all:
  X <message> <field>: <difference>   for a name or type in messages.txt that is not the one of the descriptors
"""

import struct
import sys

from google.protobuf.descriptor import FieldDescriptor as F
from google.protobuf.message import DecodeError
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

LETTERS = {
    F.TYPE_INT32: "i", F.TYPE_INT64: "i", F.TYPE_SFIXED32: "i", F.TYPE_SFIXED64: "i",
    F.TYPE_UINT32: "u", F.TYPE_UINT64: "u", F.TYPE_FIXED32: "u", F.TYPE_FIXED64: "u",
    F.TYPE_SINT32: "z", F.TYPE_SINT64: "z", F.TYPE_BOOL: "b", F.TYPE_STRING: "s",
    F.TYPE_BYTES: "y", F.TYPE_DOUBLE: "d", F.TYPE_FLOAT: "f", F.TYPE_MESSAGE: "m", F.TYPE_ENUM: "e",
}


def read_table(path):
    """The fields of each message of the table: {message: {number: (name, type)}}."""
    table = {}
    for line in open(path, encoding="utf-8"):
        kind, name, *entries = line.split()
        if kind == "message":
            fields = (entry.split(":", 2) for entry in entries)
            table[name] = {int(number): (field, of) for number, field, of in fields}
    return table


def short(descriptor):
    return descriptor.full_name.removeprefix("perfetto.protos.")


def type_of(field):
    letter = LETTERS[field.type]
    of = field.message_type or field.enum_type
    named = f"{letter}:{short(of)}" if of else letter
    return ("*" if field.is_repeated else "") + named


def differences(descriptor, table):
    known = table.get(short(descriptor), {})
    for number, expected in known.items():
        field = descriptor.fields_by_number.get(number)
        if field and (field.name, type_of(field)) != expected:
            print("X", short(descriptor), number, expected, (field.name, type_of(field)))
    for nested in descriptor.nested_types:
        differences(nested, table)


def value_of(field, value):
    if field.type == F.TYPE_DOUBLE:
        return struct.pack(">d", value).hex()
    if field.type == F.TYPE_FLOAT:
        return struct.pack(">f", value).hex()
    if field.type == F.TYPE_STRING:
        return value.encode().hex() if isinstance(value, str) else value.hex()
    if field.type == F.TYPE_BYTES:
        return value.hex()
    return str(int(value))


def flatten(message, table, path, out):
    known = table.get(short(message.DESCRIPTOR), {})
    for field, value in message.ListFields():
        if field.number not in known:
            continue
        values = value if field.is_repeated else [value]
        for at, value in enumerate(values):
            place = f"{path}{field.number}" + (f"[{at}]" if field.is_repeated else "")
            if field.type == F.TYPE_MESSAGE:
                flatten(value, table, place + ".", out)
            else:
                out.append(f"{place}={value_of(field, value)}")


def print_message(message, table):
    name = short(message.DESCRIPTOR)
    if name in table:
        out = []
        flatten(message, table, "", out)
        print("M", name, *out)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def packets(data):
    """The packets of a file, which may end in the middle of one."""
    at = 0
    while at < len(data) and data[at] == 0x0A:
        try:
            length, start = varint(data, at + 1)
        except IndexError:
            return
        at = start + length
        if at <= len(data):
            yield data[start:at]


def print_file(path, table):
    print("F", path)
    with open(path, "rb") as file:
        data = file.read()
    for content in packets(data):
        packet = protos.TracePacket()
        try:
            packet.ParseFromString(content)
        except DecodeError:
            print("B")
            continue
        print_packet(packet, table)


def print_packet(packet, table):
    data = packet.WhichOneof("data")
    field = packet.DESCRIPTOR.fields_by_name[data] if data else None
    clears = packet.incremental_state_cleared or packet.sequence_flags & 1
    number = field.number if field else 0
    print("P", packet.trusted_packet_sequence_id, packet.timestamp, packet.timestamp_clock_id, int(bool(clears)), number)
    if data == "ftrace_events":
        for event in packet.ftrace_events.event:
            print_message(event, table)
    elif field and field.message_type:
        print_message(getattr(packet, data), table)


def main():
    table = read_table(sys.argv[1])
    for descriptor in protos.DESCRIPTOR.message_types_by_name.values():
        differences(descriptor, table)
    for path in sys.argv[2:]:
        print_file(path, table)


main()
