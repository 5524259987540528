import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import Fastify from 'fastify';

/**
 * The page of the API reference loads nothing from other servers and runs only scripts of the API server. Inline styles are allowed,
 * because Scalar's script creates inline styles.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Countinghouse API reference</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Starts Scalar on the page. Scalar sends requests only to the server that the page comes from. */
export const START_SCRIPT = `Scalar.createApiReference('#reference', {
  url: '/docs/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  proxyUrl: '',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
`;

/**
 * Returns Scalar's browser script, which has some megabytes, compressed by gzip. The Scalar package only serves the script over HTTP, so
 * this function requests the script from a local server.
 */
export async function readScalarScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const holder = Fastify();
  await holder.register(scalar, { routePrefix: '/', configuration: { url: '/' } });
  const { statusCode, rawPayload } = await holder.inject('/js/scalar.js');
  await holder.close();
  if (statusCode !== 200)
    throw new Error('The package @scalar/fastify-api-reference does not serve /js/scalar.js any more');
  return promisify(gzip)(rawPayload);
}
