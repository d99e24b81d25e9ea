/**
 * Reads Python's pickle format as far as files of tensors need it (protocol 2). A pickle is a program for a stack
 * machine with a memo that could call any function. Ours has only the opcodes of plain data, knows classes and
 * functions by name, and leaves their meaning to a vocabulary.
 */

import { Dictionary, Machine, Sequence, type Value, type Vocabulary } from './pickle_machine.js';

const stop = 0x2e;

/** The opcodes that plain data needs, named as in pickletools. */
const opcodes: ReadonlyMap<number, (machine: Machine) => void> = new Map<number, (machine: Machine) => void>([
  [0x80, (m) => m.protocol()], // PROTO
  [0x28, (m) => m.mark()], // MARK
  [0x4e, (m) => m.push(null)], // NONE
  [0x88, (m) => m.push(true)], // NEWTRUE
  [0x89, (m) => m.push(false)], // NEWFALSE
  [0x4a, (m) => m.push(m.int32())], // BININT
  [0x4b, (m) => m.push(m.byte())], // BININT1
  [0x4d, (m) => m.push(m.uint16())], // BININT2
  [0x8a, (m) => m.push(m.long())], // LONG1
  [0x47, (m) => m.push(m.float64())], // BINFLOAT
  [0x58, (m) => m.push(m.text(m.uint32()))], // BINUNICODE
  [0x55, (m) => m.push(m.text(m.byte()))], // SHORT_BINSTRING, of Python 2
  [0x29, (m) => m.tuple([])], // EMPTY_TUPLE
  [0x85, (m) => m.tuple([m.pop()])], // TUPLE1
  [0x86, (m) => m.tuple([m.pop(), m.pop()].reverse())], // TUPLE2
  [0x87, (m) => m.tuple([m.pop(), m.pop(), m.pop()].reverse())], // TUPLE3
  [0x74, (m) => m.tuple(m.popToMark())], // TUPLE
  [0x5d, (m) => m.push(new Sequence([]))], // EMPTY_LIST
  [0x61, (m) => m.append([m.pop()])], // APPEND
  [0x65, (m) => m.append(m.popToMark())], // APPENDS
  [0x7d, (m) => m.push(new Dictionary())], // EMPTY_DICT
  [0x73, (m) => m.setItems([m.pop(), m.pop()].reverse())], // SETITEM
  [0x75, (m) => m.setItems(m.popToMark())], // SETITEMS
  [0x63, (m) => m.push(m.name())], // GLOBAL
  [0x52, (m) => m.reduce()], // REDUCE
  [0x62, (m) => m.build()], // BUILD
  [0x51, (m) => m.persistent()], // BINPERSID
  [0x71, (m) => m.remember(m.byte())], // BINPUT
  [0x72, (m) => m.remember(m.uint32())], // LONG_BINPUT
  [0x68, (m) => m.recall(m.byte())], // BINGET
  [0x6a, (m) => m.recall(m.uint32())], // LONG_BINGET
]);

/** A state dict takes about forty per tensor. */
const maxSteps = 1 << 21;

/**
 * Runs one pickle.
 *
 * @param file name for messages
 * @returns the value, and the offset of the pickle's end
 * @throws TransformerError `bad_checkpoint`, naming an unknown opcode, class or function; {@link CutOff}.
 */
export function readPickle(
  bytes: Uint8Array,
  vocabulary: Vocabulary,
  { file, begin = 0 }: { file: string; begin?: number },
): { value: Value; end: number } {
  const machine = new Machine(bytes, vocabulary, { file, begin });
  for (let steps = 0; steps < maxSteps; steps++) {
    const opcode = machine.byte();
    if (opcode === stop) return { value: machine.pop(), end: machine.place };
    const run = opcodes.get(opcode);
    if (run) run(machine);
    else machine.refuse(`uses the opcode 0x${opcode.toString(16).padStart(2, '0')}, which is not supported`);
  }
  return machine.refuse(`takes more than ${maxSteps} steps`);
}
