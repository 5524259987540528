import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseWholeNumber } from '#libs/kernel/core';
import type { InstanceSecrets } from './text-cipher.js';

/** A setting of the process: its environment variable, the function that reads it, its default and its purpose. */
export interface SettingSpec<T, F extends string | undefined = string | undefined> {
  name: string;
  description: string;
  /** The default as text; `undefined` makes the setting optional. */
  fallback: F;
  /** True if the value must not be shown. */
  secret?: boolean;
  read: (text: string) => T;
}

/** Thrown by {@link loadSettings}. The message is one line and names every wrong setting. */
export class SettingsError extends Error {}

class Unreadable extends Error {}

const text = (value: string): string => value;
const integer =
  (min: number, max: number) =>
  (value: string): number => {
    const number = parseWholeNumber(value, { min, max });
    if (number === undefined) throw new Unreadable(`a whole number from ${min} to ${max}`);
    return number;
  };
const ports = (value: string): number[] => {
  const numbers = value.split(',').map((part) => parseWholeNumber(part.trim(), { min: 1, max: 65_535 }));
  if (!numbers.every((number) => number !== undefined))
    throw new Unreadable('whole numbers from 1 to 65535 with commas between');
  return numbers;
};
const flag = (value: string): boolean => {
  if (!['true', 'false', '1', '0'].includes(value)) throw new Unreadable('true or false');
  return value === 'true' || value === '1';
};
const url =
  (...protocols: string[]) =>
  (value: string): string => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    if (!parsed || !protocols.includes(parsed.protocol.slice(0, -1)))
      throw new Unreadable(`a URL that begins with ${protocols.map((p) => `${p}://`).join(' or ')}`);
    return value.replace(/\/$/, '');
  };
const natsUrls = (value: string): string => {
  for (const one of value.split(',')) {
    const url = URL.canParse(one) ? new URL(one) : undefined;
    if (!url || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '')
      throw new Unreadable('one or more URLs, between commas, that begin with nats:// or tls://');
  }
  return value;
};
const oneOf =
  <T extends string>(...values: T[]) =>
  (value: string): T => {
    if (!values.includes(value as T)) throw new Unreadable(`one of ${values.join(', ')}`);
    return value as T;
  };
const secretText =
  (min: number) =>
  (value: string): string => {
    if (value.length < min) throw new Unreadable(`at least ${min} characters`);
    return value;
  };

/** DNS servers as `address` or `address:port`. */
const dnsServers = (value: string): string[] => {
  const servers = value.split(',').map((part) => part.trim());
  if (
    !servers.every(
      (server) => isIP(server) > 0 || /^[\d.]+:\d{1,5}$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(server),
    )
  )
    throw new Unreadable('IP addresses, such as 192.0.2.53 or 192.0.2.53:5353, with commas between');
  return servers;
};

const mailServer = (value: string): string => {
  const server = URL.canParse(value) ? new URL(value) : undefined;
  if (
    !server ||
    !['smtp:', 'smtps:'].includes(server.protocol) ||
    server.hostname === '' ||
    server.search !== ''
  )
    throw new Unreadable(
      'a URL that begins with smtp:// or smtps://, with a host, such as smtp://mail.example.com:587',
    );
  return value;
};
/** A sender of mail: an address, or a name with the address in angle brackets. */
const mailbox = (value: string): string => {
  if (!/^(?:[^<>\p{Cc}]* <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(value))
    throw new Unreadable('an e-mail address, or a name and an address in angle brackets');
  return value;
};

/** The names of networks that `proxy-addr`, a library of Fastify, accepts instead of addresses. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];
/** The proxies whose information about a client's address is trusted: none, or these addresses and networks. */
const proxies = (value: string): false | string[] => {
  if (value === 'false') return false;
  const networks = value.split(',').map((part) => part.trim());
  if (!networks.every(isNetwork))
    throw new Unreadable(
      `false, or IP addresses, networks such as 10.0.0.0/8, ${NAMED_NETWORKS.join(', ')}, with commas between`,
    );
  return networks;
};
const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  if (most === undefined) return NAMED_NETWORKS.includes(text);
  return more.length === 0 && (bits === undefined || parseWholeNumber(bits, { max: most }) !== undefined);
};

const spec = <T, F extends string | undefined>(
  name: string,
  fallback: F,
  read: (text: string) => T,
  description: string,
  more: { secret?: boolean } = {},
): SettingSpec<T, F> => ({ name, fallback, read, description, ...more });

/** All settings. A test compares the table in docs/operating.md with these settings. */
export const settingSpecs = {
  port: spec('PORT', '3000', integer(0, 65_535), 'Port of the API; 0 finds a free one.'),
  host: spec('HOST', '127.0.0.1', text, 'Address that the API listens on.'),
  dataDir: spec('DATA_DIR', '.data', text, 'Folder of the embedded database, secrets, logs and documents.'),
  databaseUrl: spec(
    'DATABASE_URL',
    undefined,
    url('postgres', 'postgresql'),
    'Postgres 15 or newer in place of the embedded one.',
    { secret: true },
  ),
  migrationDatabaseUrl: spec(
    'MIGRATION_DATABASE_URL',
    undefined,
    url('postgres', 'postgresql'),
    'The same database as the user that owns its tables, for migrations and commands; by default DATABASE_URL.',
    { secret: true },
  ),
  eventStoreUrl: spec(
    'EVENTSTORE_URL',
    undefined,
    url('esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover'),
    'EventStoreDB or KurrentDB in place of the embedded node.',
    { secret: true },
  ),
  eventStorePort: spec(
    'EVENTSTORE_PORT',
    undefined,
    integer(0, 65_535),
    'Port of the embedded event store node; by default a free one.',
  ),
  publicUrl: spec(
    'PUBLIC_URL',
    undefined,
    url('http', 'https'),
    'Address under which customers reach the API, for links; by default http://HOST:PORT.',
  ),
  jwtSecret: spec(
    'JWT_SECRET',
    undefined,
    secretText(32),
    'Key that signs access tokens and encrypts mail in the database; made and kept in DATA_DIR by `npm start`.',
    { secret: true },
  ),
  formerJwtSecret: spec(
    'JWT_SECRET_FORMER',
    undefined,
    secretText(32),
    'The JWT_SECRET before the present one, while it is replaced. What was signed or encrypted with it is still read.',
    { secret: true },
  ),
  accessTokenSeconds: spec(
    'ACCESS_TOKEN_SECONDS',
    '900',
    integer(60, 86_400),
    'How long an access token lasts, in seconds.',
  ),
  refreshTokenDays: spec(
    'REFRESH_TOKEN_DAYS',
    '30',
    integer(1, 365),
    'How long a refresh token lasts, in days.',
  ),
  logLevel: spec(
    'LOG_LEVEL',
    'info',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'The lowest level that is logged.',
  ),
  databasePoolSize: spec(
    'DATABASE_POOL_SIZE',
    '16',
    integer(4, 200),
    'The largest number of Postgres connections that the work of one process shares; locks, keys and notifications have up to 43 more.',
  ),
  streamCacheSize: spec(
    'STREAM_CACHE_SIZE',
    '20000',
    // The cache takes the memory for all streams at the start, some 28 bytes for each.
    integer(100, 1_000_000),
    'Streams whose state a process keeps in memory; billing a subscription uses three.',
  ),
  customerCacheSize: spec(
    'CUSTOMER_CACHE_SIZE',
    '100000',
    integer(100, 10_000_000),
    'The number of customers that a process of the API remembers, so that usage for them needs no read.',
  ),
  bodyLimitBytes: spec(
    'BODY_LIMIT_BYTES',
    '5242880',
    integer(1_024, 104_857_600),
    'Largest body of usage events, in bytes; other bodies may have at most 1 MiB, those of price migrations 2 MiB, and those under /v1/auth 16 KiB.',
  ),
  usageBatchLimit: spec(
    'USAGE_BATCH_LIMIT',
    '1000',
    integer(1, 100_000),
    'Most usage events in one request.',
  ),
  rateLimitPerSecond: spec(
    'RATE_LIMIT_PER_SECOND',
    '100',
    integer(1, 1_000_000),
    'The number of requests per second that one credential may send, without usage.',
  ),
  usageRateLimitPerSecond: spec(
    'USAGE_RATE_LIMIT_PER_SECOND',
    '10000',
    integer(1, 10_000_000),
    'The number of requests per second that one credential may send to POST /v1/events.',
  ),
  authRateLimitPerMinute: spec(
    'AUTH_RATE_LIMIT_PER_MINUTE',
    '30',
    integer(1, 1_000_000),
    'The number of requests per minute that one IP address may send to each endpoint under /v1/auth.',
  ),
  readYourWritesMillis: spec(
    'READ_YOUR_WRITES_MS',
    '2000',
    integer(0, 60_000),
    'Longest wait for the read models before a write is answered.',
  ),
  webhookAllowLoopback: spec(
    'WEBHOOK_ALLOW_LOOPBACK',
    'false',
    flag,
    'Lets sandbox workspaces send webhooks to this machine over http, and use identity providers there; `npm start` sets it.',
  ),
  webhookClosedPorts: spec(
    'WEBHOOK_CLOSED_PORTS',
    undefined,
    ports,
    'Ports of this machine, separated by commas, to which no webhooks or other requests of workspaces are sent; `npm start` adds its own.',
  ),
  ssoDnsServers: spec(
    'SSO_DNS_SERVERS',
    undefined,
    dnsServers,
    'DNS servers, separated by commas, that are asked for the records that prove domains; by default those of the system.',
  ),
  idempotencyRetentionDays: spec(
    'IDEMPOTENCY_RETENTION_DAYS',
    '30',
    integer(1, 3_650),
    'How long the answer to a request with an Idempotency-Key is kept, in days.',
  ),
  taskRetentionDays: spec(
    'TASK_RETENTION_DAYS',
    '30',
    integer(1, 3_650),
    'How long tasks of the saga are kept after they were done, in days.',
  ),
  webhookRetentionDays: spec(
    'WEBHOOK_RETENTION_DAYS',
    '30',
    integer(3, 3_650),
    'How long webhook deliveries can be listed, in days; those still to be attempted stay.',
  ),
  usageTextRetentionDays: spec(
    'USAGE_TEXT_RETENTION_DAYS',
    '0',
    integer(0, 3_650),
    'How long texts in properties of invoiced usage are kept, in days of the clock of the workspace; 0 keeps them for ever.',
  ),
  mailUrl: spec(
    'MAIL_URL',
    undefined,
    mailServer,
    'Mail server through which mail is sent, such as smtp://user:password@mail.example.com:587; without it, no mail is sent.',
    { secret: true },
  ),
  mailFrom: spec(
    'MAIL_FROM',
    undefined,
    mailbox,
    'Sender of mail, such as `Acme Billing <billing@example.com>`; needed with MAIL_URL.',
  ),
  mailRetentionDays: spec(
    'MAIL_RETENTION_DAYS',
    '7',
    integer(1, 365),
    'How long mail is kept after it was written, in days; mail that is still to be sent stays.',
  ),
  trustProxy: spec(
    'TRUST_PROXY',
    'false',
    proxies,
    'The addresses of proxies whose X-Forwarded-For is trusted, separated by commas, or `loopback`.',
  ),
  opsPort: spec(
    'OPS_PORT',
    undefined,
    integer(0, 65_535),
    'Port of a process for its operators: /metrics, /health and /ready. None by default; `npm start` gives each one.',
  ),
  opsHost: spec('OPS_HOST', '127.0.0.1', text, 'Address of that port. It asks for no credentials.'),
  drainMillis: spec(
    'DRAIN_MS',
    '5000',
    integer(0, 600_000),
    'How long the API continues to serve after SIGTERM, while it reports that it is not ready; 0 with `npm start`.',
  ),
  natsUrl: spec(
    'NATS_URL',
    undefined,
    natsUrls,
    'NATS servers with JetStream, separated by commas, to which every public event is published too.',
    { secret: true },
  ),
  natsCredentials: spec(
    'NATS_CREDENTIALS',
    undefined,
    text,
    'File with the credentials of a NATS user (.creds), if the servers require one.',
  ),
  natsUsage: spec('NATS_USAGE', 'false', flag, 'Lets this API process receive usage from NATS.'),
  chromePath: spec(
    'CHROME_PATH',
    undefined,
    text,
    'Chrome or Chromium for PDFs in place of the one from npm.',
  ),
  chromeSandbox: spec(
    'CHROME_SANDBOX',
    'true',
    flag,
    'Runs Chromium in its own sandbox. Set false where no sandbox is possible, as in most containers.',
  ),
  stripeApiUrl: spec(
    'STRIPE_API_URL',
    'https://api.stripe.com',
    url('http', 'https'),
    'Address of the API of Stripe. Change it only for a proxy or for tests.',
  ),
} as const;

type Specs = typeof settingSpecs;
type ValueOf<S> =
  S extends SettingSpec<infer T, infer F> ? T | (F extends string ? never : undefined) : never;

/** The typed settings of the process. A setting without a default may be `undefined`. */
export type Settings = { [K in keyof Specs]: ValueOf<Specs[K]> };

/** The variable that names a file with the value of a secret setting, such as `JWT_SECRET_FILE`. */
export function fileVariableOf({ name }: { name: string }): string {
  return `${name}_FILE`;
}

/** Removes the files of settings that `env` gives in another way, so that a program that inherits both does not refuse them. */
export function withoutFilesOf(env: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  const given = Object.values(settingSpecs).filter(({ name }) => env[name] !== undefined);
  return Object.fromEntries(given.map((one) => [fileVariableOf(one), '']));
}

function isSet(one: { name: string }, env: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(env[one.name]) || Boolean(env[fileVariableOf(one)]);
}

/** The text of a setting: its variable, or for a secret the file that another variable names. Throws Unreadable with the whole message. */
function textOf(
  { name, secret }: SettingSpec<unknown>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const variable = fileVariableOf({ name });
  const [given, file] = [env[name] || undefined, env[variable] || undefined];
  if (!secret || file === undefined) return given;
  if (given !== undefined) throw new Unreadable(`${name} and ${variable} are both set; set one of them`);
  try {
    // Editors end a file with a line break.
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Unreadable(`${variable} is "${file}", which cannot be read (${code ?? 'error'})`);
  }
}

function readValue({ name, secret, read }: SettingSpec<unknown>, value: string): unknown {
  try {
    return read(value);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new Unreadable(`${name} ${secret ? '' : `is "${value}" but `}must be ${error.message}`);
  }
}

/** The secret of the instance, and the one before it while it is replaced. Throws a SettingsError if there is none. */
export function requireSecrets(
  settings: Pick<Settings, 'jwtSecret' | 'formerJwtSecret'> & Partial<Settings>,
): InstanceSecrets {
  const present = requireSetting(settings as Settings, 'jwtSecret');
  return settings.formerJwtSecret === undefined ? [present] : [present, settings.formerJwtSecret];
}

/** Reads and checks every setting. Throws one {@link SettingsError} that names all wrong settings. */
export function loadSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const settings: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [key, one] of Object.entries(settingSpecs)) {
    try {
      const value = textOf(one, env) ?? one.fallback;
      if (value !== undefined) settings[key] = readValue(one, value);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      wrong.push(error.message);
    }
  }
  if (settings['natsUsage'] === true && !isSet(settingSpecs.natsUrl, env))
    wrong.push('NATS_USAGE is true and needs NATS_URL, which is not set');
  if (settings['mailUrl'] !== undefined && settings['mailFrom'] === undefined && !env['MAIL_FROM'])
    wrong.push('MAIL_URL is set and needs MAIL_FROM, which is not set');
  if (wrong.length > 0) throw new SettingsError(`Wrong setting: ${wrong.join('; ')}`);
  return settings as Settings;
}

/** Returns the setting's value. If the setting is missing, throws a one-line error that names it, for processes that need this setting. */
export function requireSetting<K extends keyof Settings>(
  settings: Settings,
  key: K,
): NonNullable<Settings[K]> {
  const value = settings[key];
  if (value === undefined || value === null)
    throw new SettingsError(`Missing setting: ${settingSpecs[key].name} (${settingSpecs[key].description})`);
  return value;
}

/** The address under which people reach the API, for links in pages and mail. The public URL has no slash at the end. */
export function publicUrlOf({
  publicUrl,
  host,
  port,
}: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  return publicUrl ?? `http://${host}:${port}`;
}
