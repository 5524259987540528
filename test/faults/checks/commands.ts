import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Fleet } from '../fleet/fleet.ts';
import { wrong, type Finding } from './finding.ts';

/** The product's own verifications: each compares what is shown with what the events make of it. */
const VERIFICATIONS: readonly (readonly string[])[] = [['ledger', 'verify']];

/** Runs them over everything that there is, of all workspaces, and gives what they say of differences. */
export async function checkByCommands({ databaseUrl, eventStoreUrl }: Fleet): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const args of VERIFICATIONS) {
    const child = spawn(process.execPath, [join(process.cwd(), 'dist/apps/cli/main.js'), ...args], {
      env: { ...process.env, DATABASE_URL: databaseUrl, EVENTSTORE_URL: eventStoreUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [said, , code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code === 0) continue;
    const lines = said.split('\n').filter((line) => line.trim() !== '');
    findings.push(...lines.map((line) => wrong(`countinghouse ${args.join(' ')}: ${line}`)));
    if (lines.length === 0) findings.push(wrong(`countinghouse ${args.join(' ')} ended with ${code}`));
  }
  return findings;
}
