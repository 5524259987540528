import { TestEnvironment } from 'jest-environment-node';
import { createRequire } from 'node:module';

/** The name under which modules.mjs finds {@link load} within a test's context. */
export const LOAD = Symbol.for('countinghouse.test.load');

// A worker that has nothing left to do ends at once. By itself it would first free its heap, which has hundreds of megabytes. Jest
// gives a worker half a second, and then reports a leak.
process.once('beforeExit', () => process.exit());

/**
 * Where test files run. Jest gives each of them a context and modules of its own; what they test is loaded by Node
 * itself, once in a worker (see modules.mjs), so the two have to agree on what an Error or a Map is.
 */
export default class Environment extends TestEnvironment {
  async setup() {
    await super.setup();
    const { global } = this;
    for (const name of SHARED) global[name] = globalThis[name];
    // Some settings are read where they are used: the standard ones of OpenTelemetry.
    global.process.env = process.env;
    global[LOAD] = createRequire(import.meta.url);
  }
}

/** What tests ask a value to be an instance of, and what `reflect-metadata` adds to. */
const SHARED = [
  'Error',
  'AggregateError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Date',
  'Reflect',
];
