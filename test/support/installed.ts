import { describe } from '@jest/globals';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where programs are; Debian puts servers where few people's PATH goes. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** The file of a program of this machine; undefined if it is not installed. */
export function programFile(program: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

/** Tests against a program that is not ours to bring: skipped where it is not installed, and never silently. */
export function describeWith(program: string, name: string, body: () => void): void {
  if (programFile(program) !== undefined) return describe(name, body);
  process.stderr.write(`\nSKIPPED for want of ${program}, which is not installed here: ${name}\n`);
  describe.skip(name, body);
}
