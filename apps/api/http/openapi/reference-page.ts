import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import Fastify from 'fastify';

/** The page loads nothing from other servers, and runs nothing but our own scripts. Styles are made by the script as it runs. */
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

export const PAGE = `<!doctype html>
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

/** What the page does once Scalar is there. It asks only the server that it comes from. */
export const START = `Scalar.createApiReference('#reference', {
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

/** Scalar as the browser runs it, some megabytes, compressed by gzip. The package holds the script, and gives it as an answer alone. */
export async function scalarScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const holder = Fastify();
  await holder.register(scalar, { routePrefix: '/', configuration: { url: '/' } });
  const { statusCode, rawPayload } = await holder.inject('/js/scalar.js');
  await holder.close();
  if (statusCode !== 200) throw new Error('The package of Scalar has no script any more');
  return promisify(gzip)(rawPayload);
}
