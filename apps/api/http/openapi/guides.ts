import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The folder of README.md and docs/, relative to the compiled file. */
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

/** The guides for API users, shown beside the reference. */
const GUIDES = ['usage', 'webhooks', 'clients', 'times', 'sql-metrics'];

/** The guides as Markdown, each under its own heading. */
export async function readGuides(): Promise<string> {
  const readme = await readFile(`${ROOT}README.md`, 'utf8');
  const started = /\n## A first invoice by hand\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
  const guides = await Promise.all(GUIDES.map((name) => readFile(`${ROOT}docs/${name}.md`, 'utf8')));
  return [`# Getting started\n${started}`, ...guides].map(withoutFileLinks).join('\n\n');
}

/** Replaces links to files with their text, since these files are not served. */
function withoutFileLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1');
}
