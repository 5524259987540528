import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { System, TestWorkspace } from '../system.ts';
import {
  siteIn,
  type Access,
  type Bodies,
  type Ids,
  type Login,
  type NeededQueries,
  type TestEndpoints,
} from '../test-endpoints.ts';

// The specs and the bodies share one count.
export { unique } from '../test-endpoints.ts';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '../../..');

/** What a folder's file of test endpoints exports. */
export interface EndpointFile {
  /** Its path from the root of the project. */
  readonly file: string;
  readonly value: TestEndpoints;
}

let found: readonly EndpointFile[] | undefined;

/**
 * The files `apps/api/<folder>/<folder>.test-endpoints.ts`, in alphabetical order. Test files of a worker share them.
 *
 * @throws Error if a folder with controllers has no such file, or one exports nothing by default
 */
export function endpointFiles(): readonly EndpointFile[] {
  return (found ??= readdirSync(join(root, 'apps/api'))
    .toSorted()
    .map((folder) => ({ folder, file: fileOf(folder) }))
    .filter(({ folder, file }) => existsSync(join(root, file)) || hasControllers(folder))
    .map(({ file }) => ({ file, value: load(file) })));
}

function fileOf(folder: string): string {
  return `apps/api/${folder}/${folder}.test-endpoints.ts`;
}

function hasControllers(folder: string): boolean {
  return existsSync(join(root, `apps/api/${folder}/${folder}.api.ts`));
}

function load(file: string): TestEndpoints {
  if (!existsSync(join(root, file)))
    throw new Error(`There is no ${file}: it says who may call the endpoints of its folder`);
  const { default: value } = require(join(root, file)) as { default?: TestEndpoints };
  if (value === undefined) throw new Error(`${file} exports nothing by default`);
  return value;
}

/** An endpoint's entry, and the file that has it. */
export interface ListedEndpoint {
  readonly file: string;
  readonly access: Access;
}

/**
 * The endpoints of these files, by method and path.
 *
 * @throws Error if an endpoint is listed twice
 */
export function listedEndpoints(files = endpointFiles()): ReadonlyMap<string, ListedEndpoint> {
  const listed = new Map<string, ListedEndpoint>();
  for (const { file, value } of files)
    for (const { endpoints, ...access } of value.access)
      for (const endpoint of endpoints) {
        const before = listed.get(endpoint);
        if (before) throw new Error(`${endpoint} is listed twice: in ${before.file} and in ${file}`);
        listed.set(endpoint, { file, access });
      }
  return listed;
}

/** Who may call each endpoint, by method and path. */
export function endpointAccess(): ReadonlyMap<string, Access> {
  return new Map([...listedEndpoints()].map(([endpoint, { access }]) => [endpoint, access]));
}

/** The path parameters whose values mean something else in another workspace. */
export function ownNames(): ReadonlySet<string> {
  return new Set(endpointFiles().flatMap(({ value }) => value.ownNames ?? []));
}

/**
 * A valid body with every field for each endpoint that takes one.
 *
 * @param ids what the bodies refer to
 * @param login a user that exists
 */
export function validBodies(ids: Ids, login: Login): Bodies {
  const all = endpointFiles().map(({ value }) => value.bodies?.(ids, login));
  return Object.assign({}, ...all) as Bodies;
}

/** The query parameters that endpoints cannot do without. */
export function neededQueries(ids: Ids): NeededQueries {
  return Object.assign(
    {},
    ...endpointFiles().map(({ value }) => value.neededQueries?.(ids)),
  ) as NeededQueries;
}

/**
 * Creates the resources of all folders, and answers their ids. `ids` has what they are created for.
 *
 * @throws Error if two folders create a resource of the same name
 */
export async function createResources(workspace: TestWorkspace, ids: Ids): Promise<Ids> {
  const created: Record<string, string> = {};
  for (const { file, value } of endpointFiles())
    for (const [name, id] of Object.entries((await value.resources?.(siteIn(workspace, ids))) ?? {})) {
      if (name in ids || name in created) throw new Error(`${file} creates ${name}, which exists already`);
      created[name] = id;
    }
  return created;
}

/** Creates more resources of all folders, so that each list has two entries at least. */
export async function createMore(system: System, workspace: TestWorkspace, ids: Ids): Promise<void> {
  for (const { value } of endpointFiles()) await value.more?.({ ...siteIn(workspace, ids), system });
}
