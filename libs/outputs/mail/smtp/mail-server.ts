/** How a mail server is reached. */
export interface MailServer {
  host: string;
  port: number;
  /** Whether the connection begins with TLS. Without it, TLS begins later if the server offers it (STARTTLS). */
  secure: boolean;
  /** Whether an attempt without TLS is refused. */
  requireTLS: boolean;
  auth?: { user: string; pass: string };
}

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;

/**
 * Reads MAIL_URL: `smtp://` begins without TLS, `smtps://` with it. User name and password are never sent over the network without TLS. A
 * server on this machine is the exception.
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
