import { globSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { openApiDocumentWithoutDatabases } from '#apps/api';
import { loadSettings } from '#libs/kernel/system';
import { discoverFiles } from '#libs/manifest';
import type { ApiFolder } from '../../apps/api/http/define-api.js';
import { endpointFiles, listedEndpoints, type EndpointFile } from './per-worker/endpoint-tables.ts';
import type { TestEndpoints } from './test-endpoints.js';

/*
 * The tests that call every endpoint take from the test endpoints what they send. So each folder of the API must have all of its endpoints
 * there.
 */

/** The endpoints of each folder's controllers, by the folder's file of test endpoints. */
const routes = new Map(
  discoverFiles<ApiFolder>('apps/api', 'api').map(({ file, value }) => [
    file.replace(/\.api$/, '.test-endpoints.ts'),
    controllersOf(value.module).flatMap(routesOf),
  ]),
);
/** The endpoints that take a body. */
let takingBodies: ReadonlySet<string>;

beforeAll(async () => {
  const { paths } = await openApiDocumentWithoutDatabases(loadSettings({}));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { requestBody?: object }>).map(
      ([method, { requestBody }]) => [`${method.toUpperCase()} ${path}`, requestBody] as const,
    ),
  );
  takingBodies = new Set(operations.flatMap(([endpoint, body]) => (body ? [endpoint] : [])));
});

function controllersOf(module: Type): Type[] {
  return (Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, module) as Type[] | undefined) ?? [];
}

function routesOf(controller: Type): string[] {
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype)
    .map((name) => prototype[name]!)
    .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
    .map((handler) => {
      const parts = [controller, handler].map((of) => Reflect.getMetadata(PATH_METADATA, of) as string);
      const path = parts.flatMap((part) => part.split('/')).filter((part) => part !== '');
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      return `${method} /${path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`;
    });
}

const endpointsOf = ({ access }: TestEndpoints): string[] => access.flatMap(({ endpoints }) => endpoints);
const bodiesOf = ({ bodies }: TestEndpoints): string[] =>
  Object.keys(bodies?.({}, { email: 'a@b.example', password: 'p' }) ?? {});

/** What is wrong with a folder's test endpoints. */
function faultsOf({ file, value }: EndpointFile): string[] {
  const listed = endpointsOf(value);
  const bodies = bodiesOf(value);
  const own = routes.get(file) ?? listed;
  const needed = listed.filter((endpoint) => takingBodies.has(endpoint));
  return [
    ...without(own, listed).map((endpoint) => `${file} does not say who may call ${endpoint}`),
    ...without(listed, own).map((endpoint) => `${file} has ${endpoint}, which its folder has not`),
    ...without(needed, bodies).map((endpoint) => `${file} has no body for ${endpoint}`),
    ...without(bodies, needed).map((endpoint) => `${file} has a body for ${endpoint}, which takes none`),
  ];
}

function without(all: readonly string[], others: readonly string[]): string[] {
  return all.filter((one) => !others.includes(one));
}

describe('the test endpoints of each folder', () => {
  it('are those of its controllers, with a body for each that takes one', () => {
    expect(endpointFiles().flatMap(faultsOf)).toEqual([]);
    expect(listedEndpoints().size).toBeGreaterThan(200);
  });

  it('are in the files that are read, and in no other', () => {
    const files = globSync('apps/api/**/*.test-endpoints.ts', { cwd: join(import.meta.dirname, '../..') });
    expect(files.toSorted()).toEqual(
      endpointFiles()
        .map(({ file }) => file)
        .toSorted(),
    );
  });

  it('are refused by file and endpoint if one is missing, is too many, or lacks a body', () => {
    const { file, value } = endpointFiles().find((one) => one.file.endsWith('/tax-rates.test-endpoints.ts'))!;
    const [reading, writing] = value.access;
    const wrong = { access: [reading!, { ...writing!, endpoints: ['POST /v1/tax-rates', 'PUT /v1/x'] }] };
    expect(faultsOf({ file, value: wrong })).toEqual([
      `${file} does not say who may call POST /v1/tax-rates/{id}/archive`,
      `${file} has PUT /v1/x, which its folder has not`,
      `${file} has no body for POST /v1/tax-rates`,
    ]);
  });

  it('are refused if two files have one endpoint', () => {
    const value: TestEndpoints = { access: [{ who: 'anyone', endpoints: ['GET /v1/x'] }] };
    const files = ['apps/api/a/a.test-endpoints.ts', 'apps/api/b/b.test-endpoints.ts'];
    expect(() => listedEndpoints(files.map((file) => ({ file, value })))).toThrow(
      `GET /v1/x is listed twice: in ${files[0]} and in ${files[1]}`,
    );
  });
});
