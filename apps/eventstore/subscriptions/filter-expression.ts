/**
 * The parts of an expression that this node reads. EventStoreDB compiles an expression as a .NET `Regex`, and these parts mean the same in
 * JavaScript, but for line breaks.
 */
const PART =
  /(?<end>\$)|(?<any>\.)|(?<syntax>[\^|)*+])|(?<group>\((?!\?))|(?<characters>\[\^?(?:[\p{L}\p{N}$_:.@/-]|\\[$.^|*+?(){}[\]\\/-])+\])|(?<literal>[\p{L}\p{N}\p{M}_:@/ -])|\\(?<escaped>[^\p{L}\p{N}\s_])/uy;

/** The error for an expression with a part that this node does not read. */
export class UnsupportedExpression extends Error {}

/**
 * Compiles the regular expression of a filter: letters, digits, escaped punctuation, `.`, `*`, `+`, classes such as `[a-z]` and `[^\$]`, groups,
 * `|`, `^` and `$`.
 *
 * @throws UnsupportedExpression for any other part
 * @throws SyntaxError for an expression that is not valid
 */
export function compileFilterExpression(pattern: string): RegExp {
  let source = '';
  for (PART.lastIndex = 0; PART.lastIndex < pattern.length;) {
    const at = PART.lastIndex;
    const part = PART.exec(pattern);
    if (part === null)
      throw new UnsupportedExpression(
        `"${pattern.slice(at, at + 2)}" at character ${at + 1} is not supported; use letters, digits, escaped punctuation, ` +
          '. * + [a-z] ( | ) ^ and $, or prefixes',
      );
    const { end, any, group, literal, escaped } = part.groups!;
    if (end !== undefined) source += String.raw`(?=\n?$)`;
    else if (any !== undefined) source += String.raw`[^\n]`;
    else if (group !== undefined) source += '(?:';
    else if (literal !== undefined || escaped !== undefined) source += codePoint(literal ?? escaped!);
    else source += part[0];
  }
  return new RegExp(source, 'u');
}

function codePoint(character: string): string {
  return String.raw`\u{${character.codePointAt(0)!.toString(16)}}`;
}
