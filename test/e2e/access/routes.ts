import type { System } from '../../support/index.js';

/**
 * Every route of the running API, as `POST /v1/customers/{id}`. HEAD is left out, since it is a GET without its content, and so is the
 * preflight of browsers.
 */
export function routesOf({ api }: System): string[] {
  const tree = (api.getHttpAdapter().getInstance() as { printRoutes(options: object): string }).printRoutes({
    commonPrefix: false,
  });
  /** The path so far, by depth. */
  const parts: string[] = [];
  return tree
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [, indent, part, methods] = /^([│├└─ ]*)(\S*) \(([A-Z, ]+)\)/.exec(line) ?? [];
      if (indent === undefined || part === undefined || methods === undefined)
        throw new Error(`Fastify prints its routes in another way now: ${line}`);
      const depth = indent.length / 4 - 1;
      parts.splice(depth, parts.length, part);
      const path = parts
        .join('')
        .replace('//', '/')
        .replace(/:(\w+)/g, '{$1}');
      return methods
        .split(', ')
        .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
        .map((method) => `${method} ${path}`);
    });
}
