import type { FieldError } from './errors.js';

/** The limits on the size of a JSON text and its parts. */
export interface JsonBounds {
  /** The largest number of nested levels of objects and lists. */
  readonly depth: number;
  /** The largest number of keys of one object. */
  readonly keys: number;
  /** The largest number of elements of one list. */
  readonly elements: number;
  /** The maximum number of characters of one string or number, as written. */
  readonly characters: number;
  /** The largest total number of values in the text: objects, lists, strings, numbers, true, false and null. */
  readonly values: number;
}

/** A part of a JSON text that exceeds a limit. `bound` names the limit. */
export interface ExceededBound extends FieldError {
  readonly bound: keyof JsonBounds;
}

/** The result of scanning a JSON text before it is parsed. */
export interface JsonScan {
  /** The first part that exceeds its limit; absent if none does. */
  readonly exceeded?: ExceededBound;
  /** Set if a double could change a number of the text, because the number has many digits or an exponent. */
  readonly hasLongNumbers: boolean;
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [SPACE, MINUS, DIGIT_0, DIGIT_9] = [0x20, 0x2d, 0x30, 0x39];
const [LOWER_E, UPPER_E] = [0x65, 0x45];
/** A number with at least this many characters could be changed by a double, which keeps every number of up to 15 digits. */
const LONG_NUMBER = 16;

/**
 * A loop reads a number or word up to this offset from its first character. A regular expression reads the remaining characters, which is
 * faster for long ones.
 */
const LOOPED_CHARACTERS = 32;
/** Finds whitespace, or a character that {@link endsScalar} accepts. In text that is not JSON, the loop can end at another character. */
const END_OF_SCALAR = /[\s,}\]:"{[]/g;

/** An object or a list that is being read. */
interface Level {
  isList: boolean;
  members: number;
  /** Set if the next string is a key. */
  awaitsKey: boolean;
  /** The offset of the latest key in the text. */
  keyStart: number;
  keyEnd: number;
}

/**
 * Scans a JSON text before it is parsed. Checks the limits and looks for numbers that a double could change. Some texts, such as deeply
 * nested lists, take much longer to parse than other texts of the same length. The scan refuses these texts, and itself takes the same time
 * for all texts of the same length. Text that is not JSON can pass the scan; the parser then reports the error.
 */
export function scanJson(text: string, bounds: JsonBounds): JsonScan {
  const levels: Level[] = [];
  let depth = 0;
  /**
   * The innermost level. The level has its own variable, because reading `levels[depth - 1]` at depth 0 would take twenty times as long as
   * the rest of the loop.
   */
  let level: Level | undefined;
  let values = 0;
  let hasLongNumbers = false;
  const refuse = (bound: keyof JsonBounds, message: string): JsonScan => {
    const field = bound === 'values' ? 'body' : pathOf(text, levels.slice(0, depth));
    return { exceeded: { bound, field, message }, hasLongNumbers };
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      if (level?.awaitsKey) {
        level.awaitsKey = false;
        level.keyStart = at;
        level.keyEnd = end;
      } else values += 1;
      if (end - at - 1 > bounds.characters)
        return refuse('characters', `must not have text of more than ${bounds.characters} characters`);
      at = end;
    } else if (code === COMMA) {
      if (!level) return { hasLongNumbers };
      const { isList } = level;
      level.members += 1;
      level.awaitsKey = !isList;
      const [bound, what] = isList ? LIST_MEMBERS : OBJECT_MEMBERS;
      if (level.members > bounds[bound]) {
        depth -= 1;
        return refuse(bound, `must have at most ${bounds[bound]} ${what}`);
      }
    } else if (code <= SPACE || code === COLON) {
      // Whitespace or a colon between values.
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (depth === bounds.depth) return refuse('depth', 'is nested too deep');
      const isList = code === OPEN_LIST;
      level = { isList, members: 1, awaitsKey: !isList, keyStart: at, keyEnd: at };
      levels[depth] = level;
      depth += 1;
      values += 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth === 0) return { hasLongNumbers };
      depth -= 1;
      level = depth === 0 ? undefined : levels[depth - 1];
    } else {
      values += 1;
      const isNumber = code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9);
      const start = at;
      let next = text.charCodeAt(at + 1);
      // At the end of the text, and of the part that the loop reads, `next` is NaN. Every comparison with NaN is false.
      while (next > SPACE && !endsScalar(next)) {
        if (isNumber && (next === LOWER_E || next === UPPER_E)) hasLongNumbers = true;
        at += 1;
        next = at - start < LOOPED_CHARACTERS ? text.charCodeAt(at + 1) : NaN;
      }
      if (at - start === LOOPED_CHARACTERS) at = endOfScalar(text, at) - 1;
      const characters = at + 1 - start;
      if (isNumber && characters >= LONG_NUMBER) hasLongNumbers = true;
      if (characters > bounds.characters)
        return refuse('characters', `must not have a number of more than ${bounds.characters} digits`);
    }
    if (values > bounds.values)
      return refuse(
        'values',
        `must have at most ${bounds.values} values in all; send it in several requests`,
      );
  }
  return { hasLongNumbers };
}

const LIST_MEMBERS = ['elements', 'elements'] as const;
const OBJECT_MEMBERS = ['keys', 'fields'] as const;

function endsScalar(code: number): boolean {
  return (
    code === COMMA ||
    code === CLOSE_OBJECT ||
    code === CLOSE_LIST ||
    code === COLON ||
    code === QUOTE ||
    code === OPEN_OBJECT ||
    code === OPEN_LIST
  );
}

/** The offset after the last character of the number or word that has a character at `at`. */
function endOfScalar(text: string, at: number): number {
  END_OF_SCALAR.lastIndex = at;
  return END_OF_SCALAR.exec(text)?.index ?? text.length;
}

/** The offset of the closing quote of the string that begins at `start`, or the text's end if it has none. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** Longer key names are cut in error messages, so that long names in a request do not cause a long answer. */
const NAME_SHOWN = 64;

/** The path of the value at the present offset, such as `prices.3.config`; `body` for the whole text. */
function pathOf(text: string, levels: readonly Level[]): string {
  const names = levels.map(({ isList, members, keyStart, keyEnd }) =>
    isList ? String(members - 1) : text.slice(keyStart + 1, Math.min(keyEnd, keyStart + 1 + NAME_SHOWN)),
  );
  return names.join('.') || 'body';
}
