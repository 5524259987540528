/** The width of the text in characters, which fits a terminal of the usual size. */
export const TERMINAL_WIDTH = 80;

/** Breaks a text between words into lines of at most `width` characters. A word that is longer than `width` gets its own line. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
