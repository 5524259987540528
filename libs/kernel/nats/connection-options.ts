import { readFileSync } from 'node:fs';
import { credsAuthenticator, type NodeConnectionOptions } from '@nats-io/transport-node';
import { SettingsError, type Settings } from '#libs/kernel/system';

/**
 * Returns the options for connecting a process called `name` to the servers of `NATS_URL`. A user and password, or a user alone as a token,
 * may stand in its first URL. Throws {@link SettingsError} if the file of credentials cannot be read.
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
    // Whoever cannot get in keeps trying: rights and servers come back without anybody restarting us.
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
