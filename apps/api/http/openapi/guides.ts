import { readFile } from 'node:fs/promises';

/** The names of the guides for API users that the API reference shows. */
const GUIDES = ['usage', 'webhooks', 'clients', 'times', 'sql-metrics'];

/** Returns the guides as Markdown, each guide under its own heading. */
export async function readGuides(): Promise<string> {
  const readme = await readDocument('README.md');
  const started = /\n## A first invoice by hand\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
  const guides = await Promise.all(GUIDES.map((name) => readDocument(`docs/${name}.md`)));
  return [`# Getting started\n${started}`, ...guides].map(withoutFileLinks).join('\n\n');
}

function readDocument(path: string): Promise<string> {
  return readFile(new URL(import.meta.resolve(`#project/${path}`)), 'utf8');
}

/** Replaces links to files with the link text, because the API does not serve these files. */
function withoutFileLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1');
}
