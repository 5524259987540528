/** A fenced block of a page. */
export interface Block {
  /** The heading that it stands under. */
  readonly title: string;
  /** The word behind its backticks. */
  readonly kind: string;
  readonly text: string;
}

/** All fenced blocks of a page, in their order. */
export function blocksOf(page: string): Block[] {
  let title = '';
  return [...page.matchAll(/^#+ (.+)$|^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, heading, kind, text]) => {
    if (heading !== undefined) title = heading;
    return text === undefined ? [] : [{ title, kind: kind!, text }];
  });
}

/** The blocks of one kind. */
export function examplesOf(page: string, kind: string): Block[] {
  return blocksOf(page).filter((block) => block.kind === kind);
}

/** What an example says that happens, and what it says that comes of it: they stand above and below a line of dashes. */
export function partsOf({ title, text }: Block): { happens: string; comes: string } {
  const [happens, comes, ...others] = text.split(/^---\n/m);
  if (comes === undefined || others.length > 0)
    throw new Error(`The example under "${title}" needs one line ---`);
  return { happens: happens!, comes };
}

/**
 * The statements of an example, a line each. JSON that goes on over several lines, or begins on the next one, belongs to the line
 * before it.
 */
export function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let depth = 0;
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    if (depth > 0 || line.startsWith('{')) statements.push(`${statements.pop() ?? ''} ${line.trim()}`);
    else statements.push(line);
    depth += line.split(/[{[]/).length - line.split(/[}\]]/).length;
  }
  return statements;
}
