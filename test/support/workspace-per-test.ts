import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';
import { freezeClock } from './plans.js';
import { requestsOf } from './requests.js';
import { startSystem, type Client, type System, type TestWorkspace } from './system.js';

/**
 * Starts one system for a spec file, and gives each test a new workspace. The clock of the workspace stands at `now`.
 * Mocks are restored after each test. The system is stopped after the last test.
 */
export function workspacePerTest({ now = '2026-01-01T00:00:00.000Z' } = {}) {
  let system: System;
  let workspace: TestWorkspace;
  beforeAll(async () => {
    system = await startSystem();
  });
  beforeEach(async () => {
    workspace = await system.workspace();
    await freezeClock(workspace, now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => system?.stop());
  return {
    system: latest(() => system),
    /** The workspace of the test that runs. */
    workspace: latest(() => workspace),
    http: latest<Client>(() => workspace.http),
    ...requestsOf(() => workspace),
  };
}

/**
 * An object that reads each property from what `find` returns at that moment. A spec can keep it in a constant before
 * the system has started.
 */
function latest<T extends object>(find: () => T): T {
  return new Proxy({} as T, { get: (_, name) => Reflect.get(find(), name) as unknown });
}
