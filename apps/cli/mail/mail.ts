import { resolve } from 'node:path';
import pg from 'pg';
import { columnTypeParsers, inTransaction } from '#libs/kernel/postgres';
import { systemClock } from '#libs/kernel/system';
import {
  MAIL_STATUSES,
  MailCipher,
  MailQueue,
  MailStore,
  RETRYABLE_STATUSES,
  type MailContent,
  type MailStatus,
  type StoredMail,
} from '#libs/outputs/mail';
import { CliError } from '../cli-error.js';
import { requireDatabaseUpToDate } from '../migrate/up-to-date.js';
import { DataFolder } from '../start/data-folder.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';
import { countWithNoun } from '../wording.js';

/** Which mail is listed: by default the newest mail of all workspaces, with any status. */
export interface MailListOptions {
  workspace?: string;
  /** A status of mail, as the user typed it. An unknown one is refused. */
  status?: string;
  limit: number;
}

/** Mail with its content in decrypted form. The content is null if another JWT_SECRET encrypted it. */
export interface ReadableMail extends Omit<StoredMail, 'content' | 'answer'> {
  content: MailContent | null;
  /** The answer of the mail server, or why the mail was not sent; null if there is none or another JWT_SECRET encrypted it. */
  answer: string | null;
}

/** Lists mail, newest first. Throws a {@link CliError} for an unknown status, or if the URL of the database or JWT_SECRET is not found. */
export async function listMail(
  { workspace, status, limit }: MailListOptions,
  env: NodeJS.ProcessEnv,
): Promise<ReadableMail[]> {
  if (status !== undefined && !MAIL_STATUSES.includes(status as MailStatus))
    throw new CliError(`--status "${status}" must be one of ${MAIL_STATUSES.join(', ')}`);
  return withMail(env, async (store, seal) => {
    const listed = await store.list({ workspaceId: workspace, status: status as MailStatus }, { limit });
    return listed.map((mail) => readable(mail, seal));
  });
}

/** Returns one mail. Throws a {@link CliError} if the mail does not exist, for example because it was removed after MAIL_RETENTION_DAYS. */
export async function readMail(id: string, env: NodeJS.ProcessEnv): Promise<ReadableMail> {
  return withMail(env, async (store, seal) => {
    const mail = await store.find(id);
    if (!mail) throw missing(id);
    return readable(mail, seal);
  });
}

function missing(id: string): CliError {
  return new CliError(
    `There is no mail "${id}"; "countinghouse mail list" lists all that is kept (MAIL_RETENTION_DAYS)`,
  );
}

/**
 * Puts mail with the status failed or unknown into the queue again, and lets pending mail be attempted at once. Returns the mail in its new
 * state. Throws a {@link CliError} for mail with another status, for mail whose time `usefulUntil` is over, and for mail that is due or being sent.
 */
export async function retryMail(id: string, env: NodeJS.ProcessEnv): Promise<ReadableMail> {
  return withMail(env, async (store, seal, pool) => {
    const mail = await store.find(id);
    if (!mail) throw missing(id);
    const at = systemClock.now();
    if (!RETRYABLE_STATUSES.includes(mail.status))
      throw new CliError(
        `Mail "${id}" is ${mail.status}; only ${RETRYABLE_STATUSES.join(', ')} mail can be sent by this command`,
      );
    if (!(await inTransaction(pool, (tx) => new MailQueue(store, seal).retry(tx, mail, at))))
      throw new CliError(
        mail.usefulUntil > at
          ? `Mail "${id}" is being sent at this moment; "countinghouse mail show ${id}" shows the result`
          : `Mail "${id}" was of use until ${mail.usefulUntil}; it is not sent any more`,
      );
    return readable((await store.find(id))!, seal);
  });
}

/** Formats mail as a list with one line for each mail. */
export function describeMailList(listed: readonly ReadableMail[]): string {
  if (listed.length === 0) return 'There is no such mail\n';
  return listed
    .map(
      (mail) =>
        `${mail.id}  ${mail.createdAt}  ${mail.status.padEnd(8)}  ${mail.kind.padEnd(14)}  ` +
        `${mail.content?.to.address ?? '(unreadable)'}${waitingText(mail)}\n`,
    )
    .join('');
}

/** Describes when pending mail is attempted next, and why the last attempt failed. Empty for other mail. */
function waitingText({ status, attempts, nextAttemptAt, answer }: ReadableMail): string {
  if (status !== 'pending') return '';
  const failed =
    attempts === 0 ? '' : ` after ${countWithNoun(attempts, 'attempt')}: ${answer ?? '(unreadable)'}`;
  return `  next attempt ${nextAttemptAt}${failed}`;
}

/** Formats one mail with its text for the terminal. */
export function describeMail(mail: ReadableMail): string {
  const { content, answer, attempts, messageId } = mail;
  const rows: (readonly [string, string])[] = [
    ['Id', mail.id],
    ['Workspace', mail.workspaceId],
    ['About', mail.about],
    ['Created', mail.createdAt],
    ['Status', `${mail.status}${answer === null ? '' : `: ${answer}`}`],
    ...(mail.status === 'pending' ? [['Next', mail.nextAttemptAt] as const] : []),
    ['Attempts', `${attempts}${messageId === null ? '' : ` as ${messageId}`}`],
    ['To', content ? addressText(content) : '(unreadable, since JWT_SECRET has changed)'],
    ['Subject', content?.subject ?? ''],
  ];
  const head = rows.map(([name, value]) => `${`${name}:`.padEnd(11)}${value}\n`).join('');
  return content ? `${head}\n${content.text}` : head;
}

function addressText({ to: { name, address } }: MailContent): string {
  return name === undefined ? address : `${name} <${address}>`;
}

function readable({ content, answer, ...mail }: StoredMail, seal: MailCipher): ReadableMail {
  return {
    ...mail,
    content: seal.decryptContent(content) ?? null,
    answer: answer === null ? null : (seal.decryptAnswer(answer) ?? null),
  };
}

async function withMail<T>(
  env: NodeJS.ProcessEnv,
  work: (store: MailStore, seal: MailCipher, pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const { databaseUrl, jwtSecret, formerJwtSecret, dataDir } = await readSettingsWithServerUrls(env, [
    'databaseUrl',
  ]);
  const secret = jwtSecret ?? (await DataFolder.secretsOf(resolve(dataDir))).jwtSecret;
  if (secret === undefined) throw new CliError('Mail is encrypted with JWT_SECRET; set it, or DATA_DIR');
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'countinghouse mail',
    max: 1,
    types: columnTypeParsers,
    options: '-c TimeZone=UTC',
  });
  pool.on('error', () => undefined);
  try {
    await pool.query('SELECT').catch((error: Error) => {
      throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
    });
    await requireDatabaseUpToDate(pool.query('SELECT written_at FROM mail.messages LIMIT 0'));
    return await work(new MailStore(pool), new MailCipher([secret, formerJwtSecret]), pool);
  } finally {
    await pool.end();
  }
}
