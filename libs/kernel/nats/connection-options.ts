import { readFileSync } from 'node:fs';
import { credsAuthenticator, type NodeConnectionOptions } from '@nats-io/transport-node';
import { SettingsError, type Settings } from '#libs/kernel/system';

/**
 * Returns the options for connecting a process called `name` to the servers of `NATS_URL`. The first URL may contain a user and password,
 * or a token in place of the user. Throws {@link SettingsError} if the credentials file cannot be read.
 */
export function connectionOptions(
  { natsCredentials }: Pick<Settings, 'natsCredentials'>,
  natsUrl: string,
  name: string,
): NodeConnectionOptions {
  const urls = natsUrl.split(',').map((one) => new URL(one));
  const { username, password } = urls[0]!;
  const user = decodeURIComponent(username);
  return {
    name,
    servers: urls.map(({ host }) => host),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
    ...(user === '' ? {} : password === '' ? { token: user } : { user, pass: decodeURIComponent(password) }),
    ...(natsCredentials === undefined
      ? {}
      : { authenticator: credsAuthenticator(readCredentials(natsCredentials)) }),
    // A refused client keeps trying. When rights or servers come back, nobody has to restart the process.
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 500,
    timeout: 5_000,
    pingInterval: 20_000,
  };
}

function readCredentials(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new SettingsError(
      `Wrong setting: NATS_CREDENTIALS is "${file}" but must be a file that can be read (${(error as { code?: string }).code})`,
    );
  }
}
