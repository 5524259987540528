import { beforeAll, expect, it } from '@jest/globals';
import { openApiDocumentWithoutDatabases } from '#apps/api';
import { loadSettings } from '#libs/kernel/system';
import { CONTRACT_ENDPOINTS } from './contract-endpoints.js';

/** The endpoints of the OpenAPI document, with `{}` for each path parameter. */
let documented: ReadonlySet<string>;

beforeAll(async () => {
  const { paths } = await openApiDocumentWithoutDatabases(loadSettings({}));
  documented = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => withoutNames(`${method.toUpperCase()} ${path}`)),
    ),
  );
});

const withoutNames = (endpoint: string): string => endpoint.replaceAll(/\{\w+\}/g, '{}');
const isDocumented = (endpoint: string): boolean => documented.has(withoutNames(endpoint));

it('every endpoint of the contract is in the OpenAPI document', () => {
  expect(CONTRACT_ENDPOINTS.filter((one) => !isDocumented(one))).toEqual([]);
});
