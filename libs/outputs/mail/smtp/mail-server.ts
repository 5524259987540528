/** The address of a mail server, with the settings of the connection. */
export interface MailServer {
  host: string;
  port: number;
  /** True if the connection begins with TLS. If false, TLS begins later if the server offers STARTTLS. */
  secure: boolean;
  /** True if mail must not be sent without TLS. */
  requireTLS: boolean;
  auth?: { user: string; pass: string };
}

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;

/**
 * Reads MAIL_URL: a connection begins without TLS for `smtp://`, and with TLS for `smtps://`. User name and password are never sent over
 * the network without TLS. User name and password may be sent without TLS only to a mail server on this machine.
 */
export function readMailServer(text: string): MailServer {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? SMTPS_PORT : SMTP_PORT) : Number(url.port),
    secure,
    requireTLS: user !== '' && !LOOPBACK.test(url.hostname),
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
  };
}
