import type { FieldError } from './errors.js';

/** How large the parts of a JSON text may be. */
export interface JsonBounds {
  /** Levels of objects and lists. */
  readonly depth: number;
  /** Keys of one object. */
  readonly keys: number;
  /** Elements of one list. */
  readonly elements: number;
  /** Characters of one text or number, as it is written. */
  readonly characters: number;
  /** Values in all: every object, list, text, number, true, false and null. */
  readonly values: number;
}

/** What goes beyond its bound; `bound` tells which. */
export interface BeyondBounds extends FieldError {
  readonly bound: keyof JsonBounds;
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/** An object or a list that is being read. */
interface Level {
  isList: boolean;
  members: number;
  /** Whether the next text is a key. */
  awaitsKey: boolean;
  /** Where its newest key stands in the text. */
  keyStart: number;
  keyEnd: number;
}

/**
 * Whether a JSON text keeps within bounds, before it is parsed: undefined if so, else the first part that does not. Parsing takes far longer
 * for some texts than for others of the same length (a list in a list in a list, objects with thousands of keys); this reading takes the same for all.
 * A text that is no JSON may pass: the parser says what is wrong with it.
 */
export function findBeyondBounds(text: string, bounds: JsonBounds): BeyondBounds | undefined {
  const levels: Level[] = [];
  let depth = 0;
  /** The innermost of them. To ask a list for what is before its beginning takes twenty times as long as all else here. */
  let level: Level | undefined;
  let values = 0;
  /** Where the number or word began that is being read; -1: none is. */
  let scalarStart = -1;
  const here = () => pathOf(text, levels.slice(0, depth));
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      if (level?.awaitsKey) {
        level.awaitsKey = false;
        [level.keyStart, level.keyEnd] = [at, end];
      } else values += 1;
      if (end - at - 1 > bounds.characters)
        return beyond(
          'characters',
          here(),
          `must not have text of more than ${bounds.characters} characters`,
        );
      at = end;
      scalarStart = -1;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (depth === bounds.depth) return beyond('depth', here(), 'is nested too deep');
      const isList = code === OPEN_LIST;
      level = { isList, members: 1, awaitsKey: !isList, keyStart: at, keyEnd: at };
      levels[depth] = level;
      depth += 1;
      values += 1;
      scalarStart = -1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth === 0) return undefined;
      depth -= 1;
      level = depth === 0 ? undefined : levels[depth - 1];
      scalarStart = -1;
    } else if (code === COMMA) {
      if (!level) return undefined;
      scalarStart = -1;
      const { isList } = level;
      level.members += 1;
      level.awaitsKey = !isList;
      const [bound, what] = isList ? (['elements', 'elements'] as const) : (['keys', 'fields'] as const);
      if (level.members <= bounds[bound]) continue;
      depth -= 1;
      return beyond(bound, here(), `must have at most ${bounds[bound]} ${what}`);
    } else if (code <= SPACE || code === COLON) scalarStart = -1;
    else {
      if (scalarStart < 0) {
        scalarStart = at;
        values += 1;
      }
      if (at - scalarStart >= bounds.characters)
        return beyond(
          'characters',
          here(),
          `must not have a number of more than ${bounds.characters} digits`,
        );
    }
    if (values > bounds.values)
      return beyond(
        'values',
        'body',
        `must have at most ${bounds.values} values in all; send it in several requests`,
      );
  }
  return undefined;
}

function beyond(bound: keyof JsonBounds, field: string, message: string): BeyondBounds {
  return { bound, field, message };
}

/** Where a text ends that begins at `start`: at its closing quote, or the end of everything if it has none. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** Longer names are cut: whoever is refused for their length need not get all of it back. */
const NAME_SHOWN = 64;

/** The path of what is being read, such as `prices.3.config`, or `body`. */
function pathOf(text: string, levels: readonly Level[]): string {
  const names = levels.map(({ isList, members, keyStart, keyEnd }) =>
    isList ? String(members - 1) : text.slice(keyStart + 1, Math.min(keyEnd, keyStart + 1 + NAME_SHOWN)),
  );
  return names.join('.') || 'body';
}
