import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer } from './answers.ts';
import type { Access } from './history/index.ts';

const folder = join(import.meta.dirname, 'data');

/** What is kept beside the backup that a version has made. */
export interface Kept {
  readonly access: Access;
  /** How many events of each type are in the backup. */
  readonly events: Record<string, number>;
  readonly answers: Answer[];
}

/** The versions whose data is kept, each in a folder of its own. */
export const keptVersions = (): string[] => readdirSync(folder);

export const folderOf = (version: string): string => join(folder, version);
export const backupOf = (version: string): string => join(folderOf(version), 'backup.tar');
export const answersOf = (version: string): string => join(folderOf(version), 'answers.json');

export async function readKept(version: string): Promise<Kept> {
  return JSON.parse(await readFile(answersOf(version), 'utf8')) as Kept;
}

/** As text with a line for each answer, so that what changes can be seen. */
export function textOf({ access, events, answers }: Kept): string {
  const lines = answers.map((answer) => `    ${JSON.stringify(answer)}`);
  return [
    '{',
    `  "access": ${JSON.stringify(access)},`,
    `  "events": ${JSON.stringify(events)},`,
    `  "answers": [\n${lines.join(',\n')}\n  ]\n}\n`,
  ].join('\n');
}
