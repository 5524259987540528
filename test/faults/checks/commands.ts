import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Fleet } from '../fleet/fleet.ts';
import { wrong, type Finding } from './finding.ts';

/** The product's own verifications: each compares what is shown with what the events make of it. */
const VERIFICATIONS: readonly (readonly string[])[] = [
  ['ledger', 'verify'],
  ['projections', 'verify', '--all'],
  ['credits', 'verify'],
  ['limits', 'verify'],
];

/** Runs them over everything that there is, of all workspaces, and gives what they say of differences. */
export async function checkByCommands(fleet: Fleet): Promise<Finding[]> {
  return (await Promise.all(VERIFICATIONS.map((args) => verify(fleet, args)))).flat();
}

async function verify({ databaseUrl, eventStoreUrl }: Fleet, args: readonly string[]): Promise<Finding[]> {
  const command = `countinghouse ${args.join(' ')}`;
  const child = spawn(process.execPath, [join(process.cwd(), 'dist/programs/cli.js'), ...args], {
    env: { ...process.env, DATABASE_URL: databaseUrl, EVENTSTORE_URL: eventStoreUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [said, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return [];
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return [wrong(`${command} ended with ${code}: ${complaint.trim().slice(-500)}`)];
  return lines.map((line) => wrong(`${command}: ${line}`));
}
