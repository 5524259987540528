import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Instant } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { displayPath } from '../processes/paths.js';
import { ApiClient } from './api-client.js';
import { createDemoData, type Demo, type DemoAccess } from './demo-data.js';
import { hasUsers } from './has-users.js';

export type { DemoAccess } from './demo-data.js';

/** The inputs for the demo data: the URLs of the API and the database, the data folder, and functions to call on progress. */
export interface DemoOptions {
  apiUrl: string;
  databaseUrl: string;
  dataDir: string;
  /** This function is called with the credentials of the workspace before anything else is created in it. */
  onSignedUp: (access: DemoAccess) => void;
  /** This function is called with a description of each step. */
  onProgress: (text: string) => void;
}

/**
 * Creates the demo if the data folder has no demo yet. Returns lines for the terminal with the demo's user, invoice and PDF. The
 * credentials are stored in `demo.json`, which only the owner can read. Returns undefined and creates nothing if the folder has no demo and
 * the database has users. The users of a demo that was begun with this folder, and interrupted, do not count.
 */
export async function runDemo(options: DemoOptions): Promise<string[] | undefined> {
  const made = await readDemo(options.dataDir);
  // Real data must never get a demo. A restored database of DATABASE_URL has no mark in the data folder.
  const exceptOfDemos = await wasBegun(options.dataDir);
  if (!made && (await hasUsers(options.databaseUrl, { exceptOfDemos }))) return undefined;
  if (made) options.onSignedUp(made);
  return demoLines(made ?? (await makeDemo(options)), options);
}

async function makeDemo({
  apiUrl,
  dataDir,
  onSignedUp: signedUp,
  onProgress: said,
}: DemoOptions): Promise<Demo> {
  await mkdir(join(dataDir, 'demo'), { recursive: true });
  const { month, nextMonth } = lastWholeMonth(systemClock.now());
  const { demo, pdf } = await createDemoData(new ApiClient(apiUrl), month, nextMonth, { signedUp, said });
  await writeFile(pdfPath(dataDir), pdf);
  const draft = join(dataDir, 'demo.json.new');
  await writeFile(draft, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, demoPath(dataDir));
  return demo;
}

/** Tells whether the making of a demo was begun with this data folder. */
async function wasBegun(dataDir: string): Promise<boolean> {
  return access(join(dataDir, 'demo')).then(
    () => true,
    () => false,
  );
}

async function readDemo(dataDir: string): Promise<Demo | undefined> {
  try {
    return JSON.parse(await readFile(demoPath(dataDir), 'utf8')) as Demo;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function demoLines(demo: Demo, { apiUrl, dataDir }: DemoOptions): string[] {
  return [
    `Demo user      ${demo.email}  password ${demo.password}`,
    `Paid invoice   ${apiUrl}${demo.invoicePath}`,
    `Its PDF        ${displayPath(pdfPath(dataDir))}`,
    '',
    'Try:',
    `  curl -H 'Authorization: Bearer ${demo.apiKey}' ${apiUrl}/v1/invoices/${demo.invoiceId}`,
  ];
}

const demoPath = (dataDir: string): string => join(dataDir, 'demo.json');
const pdfPath = (dataDir: string): string => join(dataDir, 'demo', 'invoice.pdf');

/** Returns the first instants, in UTC, of the last whole calendar month before `now` and of the month after it. */
function lastWholeMonth(now: Instant): { month: Instant; nextMonth: Instant } {
  const [year, month] = [Number(now.slice(0, 4)), Number(now.slice(5, 7))];
  const first = (months: number): Instant => new Date(Date.UTC(year, month - 1 + months, 1)).toISOString();
  return { month: first(-1), nextMonth: first(0) };
}
