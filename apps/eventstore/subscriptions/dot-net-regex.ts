/** The characters that `\w` matches in .NET: letters, marks, digits and connectors. */
const WORD = String.raw`\p{L}\p{Mn}\p{Nd}\p{Pc}`;
/** The characters that .NET treats as parts of a word at word boundaries. These include U+200C and U+200D, the two joiners. */
const JOINED = String.raw`[${WORD}\u200c\u200d]`;

/** The character classes of escapes such as `\d`, for use in brackets and outside of brackets. */
const ESCAPES: Readonly<Partial<Record<string, string>>> = {
  d: String.raw`\p{Nd}`,
  D: String.raw`\P{Nd}`,
  w: `[${WORD}]`,
  W: `[^${WORD}]`,
  s: String.raw`\s`,
  S: String.raw`\S`,
  t: String.raw`\t`,
  n: String.raw`\n`,
  r: String.raw`\r`,
  f: String.raw`\f`,
  v: String.raw`\v`,
  a: String.raw`\x07`,
  e: String.raw`\x1b`,
};

const END = String.raw`(?=\n?$)`;
const ANCHORS: Readonly<Partial<Record<string, string>>> = {
  A: '^',
  Z: END,
  z: '$',
  b: `(?:(?<=${JOINED})(?!${JOINED})|(?<!${JOINED})(?=${JOINED}))`,
  B: `(?:(?<=${JOINED})(?=${JOINED})|(?<!${JOINED})(?!${JOINED}))`,
};

/** The error for a filter expression with a construct that only .NET has. */
export class UnsupportedExpression extends Error {
  constructor(construct: string) {
    super(`"${construct}" is not supported`);
  }
}

/**
 * Compiles a regular expression in .NET's syntax, which EventStoreDB uses for filters (`EventFilter.cs` makes a `Regex` of them; the syntax
 * is Microsoft's "Regular Expression Language"). The anchors, options, classes and groups that both languages have, such as `(?i)`, `\A`,
 * `\z` and Unicode's digits, are translated to JavaScript. A character outside of the Basic Multilingual Plane is one character in this
 * function, but two characters in .NET.
 *
 * @throws UnsupportedExpression for constructs that JavaScript lacks, such as `(?>…)`
 * @throws SyntaxError for text that is invalid in both languages
 */
export function compileDotNetRegex(pattern: string): RegExp {
  return new RegExp(new Translation(pattern).translate(), 'v');
}

interface Options {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

/** A group that is still open, with its initial options and its present options. */
interface Group {
  readonly atFirst: Options;
  now: Options;
}

/** The translation of one expression, in one pass. */
class Translation {
  readonly #pattern: string;
  readonly #groups: Group[] = [];
  #at = 0;
  #group: Group = groupOf({ ignoreCase: false, multiline: false, dotAll: false });
  #named = false;
  #numbered = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  translate(): string {
    let out = '';
    while (this.#at < this.#pattern.length) out += this.#next();
    if (this.#groups.length > 0) throw new SyntaxError('A group is not closed');
    // .NET counts named groups after all others.
    if (this.#named && this.#numbered) throw new UnsupportedExpression(String.raw`\1 beside (?<name>…)`);
    return out + this.#closeOptions();
  }

  #next(): string {
    const quantifier = this.#take(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (quantifier) return quantifier[0];
    const character = this.#character();
    const { multiline, dotAll } = this.#group.now;
    switch (character) {
      case '\\':
        return this.#escape();
      case '[':
        return this.#class();
      case '(':
        return this.#open();
      case ')':
        return this.#close();
      case '|':
        return `${this.#closeOptions()}|${this.#openOptions()}`;
      case '^':
        return multiline ? String.raw`(?<![^\n])` : '^';
      case '$':
        return multiline ? String.raw`(?![^\n])` : END;
      case '.':
        return dotAll ? '[^]' : String.raw`[^\n]`;
      default:
        return literal(character);
    }
  }

  #escape(): string {
    const reference = this.#take(/[1-9]\d*/y);
    if (reference) {
      // The meaning of a reference with more digits depends on the number of groups.
      if (reference[0].length > 1) throw new UnsupportedExpression(`\\${reference[0]}`);
      this.#numbered = true;
      return `\\${reference[0]}`;
    }
    const named = this.#take(/k(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/y);
    if (named) return `\\k<${named[1] ?? named[2]}>`;
    const anchor = ANCHORS[this.#pattern.charAt(this.#at)];
    if (anchor === undefined) return this.#characterEscape();
    this.#at += 1;
    return anchor;
  }

  /** Parses a character escape. Such escapes are valid both in and outside of brackets. */
  #characterEscape(): string {
    const hex = this.#take(/x([\da-fA-F]{2})|u([\da-fA-F]{4})/y);
    if (hex) return codePoint(parseInt(hex[1] ?? hex[2] ?? '', 16));
    const octal = this.#take(/0[0-7]{0,2}/y);
    if (octal) return codePoint(parseInt(octal[0], 8));
    const same = this.#take(/[pP]\{\w+\}|c[A-Za-z]/y);
    if (same) return `\\${same[0]}`;
    const character = this.#character();
    const known = ESCAPES[character];
    if (known !== undefined) return known;
    if (/\w/.test(character)) throw new UnsupportedExpression(`\\${character}`);
    return literal(character);
  }

  #class(): string {
    let out = this.#take(/\^/y) ? '[^' : '[';
    for (let first = true; first || !this.#take(/\]/y); first = false) {
      const unsupported = this.#take(/\[:|-\[/y);
      if (unsupported && !first) throw new UnsupportedExpression(unsupported[0]);
      if (unsupported) this.#at -= unsupported[0].length;
      out += this.#classCharacter();
      if (this.#take(/-(?![\][])/y)) out += `-${this.#classCharacter()}`;
    }
    return `${out}]`;
  }

  #classCharacter(): string {
    const character = this.#character();
    if (character !== '\\') return literal(character);
    return this.#take(/b/y) ? String.raw`\x08` : this.#characterEscape();
  }

  #open(): string {
    if (this.#take(/\?#[^)]*\)/y)) return '';
    const options = this.#take(/\?([imnsx]*)(?:-([imnsx]*))?([:)])/y);
    if (options) return this.#options(options);
    const name = this.#take(/\?(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/y);
    const kind = name ? `?<${name[1] ?? name[2]}>` : (this.#take(/\?(?:=|!|<=|<!)/y)?.[0] ?? '');
    if (name) this.#named = true;
    if (kind === '' && this.#pattern.charAt(this.#at) === '?')
      throw new UnsupportedExpression(`(${this.#pattern.slice(this.#at, this.#at + 2)}`);
    this.#groups.push(this.#group);
    this.#group = groupOf(this.#group.now);
    return `(${kind}`;
  }

  /**
   * Parses options. Options such as `(?i)` apply to the rest of the group around them, also after its next `|`. Options such as `(?i:…)`
   * open a group, and apply to this group.
   */
  #options([text, on = '', off = '', end]: RegExpExecArray): string {
    if (/[nx]/.test(on)) throw new UnsupportedExpression(`(${text}`);
    const set = (letter: string, before: boolean): boolean =>
      !off.includes(letter) && (before || on.includes(letter));
    const { now } = this.#group;
    const options = {
      ignoreCase: set('i', now.ignoreCase),
      multiline: set('m', now.multiline),
      dotAll: set('s', now.dotAll),
    };
    if (end === ')') {
      const closed = this.#closeOptions();
      this.#group.now = options;
      return closed + this.#openOptions();
    }
    this.#groups.push(this.#group);
    this.#group = groupOf(options);
    return caseGroup(options);
  }

  #close(): string {
    const closed = this.#closeOptions();
    const outer = this.#groups.pop();
    if (!outer) throw new SyntaxError('A ")" closes no group');
    this.#group = outer;
    return `${closed})`;
  }

  /**
   * Opens a group with the present options if these have changed. The added group is needed because JavaScript cannot change options for
   * the rest of a group.
   */
  #openOptions(): string {
    const { atFirst, now } = this.#group;
    return atFirst.ignoreCase === now.ignoreCase ? '' : caseGroup(now);
  }

  #closeOptions(): string {
    return this.#openOptions() === '' ? '' : ')';
  }

  #character(): string {
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) throw new SyntaxError('The expression ends too early');
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  /** Consumes the match of `expression` at the present position, if there is one. */
  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern) ?? undefined;
    if (found) this.#at = expression.lastIndex;
    return found;
  }
}

function groupOf(options: Options): Group {
  return { atFirst: options, now: options };
}

function caseGroup({ ignoreCase }: Options): string {
  return ignoreCase ? '(?i:' : '(?-i:';
}

/** Returns a character as a literal, which is valid in and outside of brackets. */
function literal(character: string): string {
  return /^[\da-zA-Z]$/.test(character) ? character : codePoint(character.codePointAt(0) ?? 0);
}

/** Returns the escape of a code point. Halves of a surrogate pair keep their four digits, so that JavaScript joins them. */
function codePoint(code: number): string {
  const digits = code.toString(16);
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
}
