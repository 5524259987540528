import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Where README.md and docs/ are, seen from what is built. */
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

/** What those who use the API read beside its reference. */
const GUIDES = ['usage', 'webhooks', 'clients', 'times', 'sql-metrics'];

/** The guides as Markdown, each under a heading of its own. */
export async function readGuides(): Promise<string> {
  const readme = await readFile(`${ROOT}README.md`, 'utf8');
  const started = /\n## A first invoice by hand\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
  const guides = await Promise.all(GUIDES.map((name) => readFile(`${ROOT}docs/${name}.md`, 'utf8')));
  return [`# Getting started\n${started}`, ...guides].map(withoutFileLinks).join('\n\n');
}

/** Links to other files lead nowhere here: what they say stays. */
function withoutFileLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1');
}
