import { createRequire } from 'node:module';

type Step = () => unknown;

interface Block {
  readonly name: string;
  readonly parent?: Block;
  readonly before: Step[];
  readonly after: Step[];
}

/** One test of a spec. */
export interface SpecTest {
  /** The names of its blocks and its own. */
  readonly name: string;
  /** Runs it with what stands before and after each test. Rejects when it fails. */
  run(): Promise<void>;
}

const jestModules = createRequire(import.meta.resolve('@jest/globals'));
const { ModuleMocker } = jestModules('jest-mock') as { ModuleMocker: new (scope: object) => object };

/** Jest's own matchers and mocks. */
export const { jestExpect: expect } = jestModules('@jest/expect') as { jestExpect: unknown };
export const jest = new ModuleMocker(globalThis);

let block: Block = newBlock('');
let tests: SpecTest[] = [];

/** The tests that `load` declares. */
export async function testsOf(load: () => Promise<unknown>): Promise<SpecTest[]> {
  block = newBlock('');
  tests = [];
  await load();
  return tests;
}

export const describe = withEach((name, declare) => {
  const outer = block;
  block = newBlock(name, outer);
  declare();
  block = outer;
});

export const it = withEach((name, body) => {
  const own = block;
  tests.push({
    name: nameOf(newBlock(name, own)),
    run: async () => {
      try {
        for (const step of stepsOf(own, 'before')) await step();
        await body();
      } finally {
        for (const step of stepsOf(own, 'after').reverse()) await step();
      }
    },
  });
});

export const beforeEach = (step: Step) => void block.before.push(step);
export const afterEach = (step: Step) => void block.after.push(step);
/** Any test may run alone, so what stands before all stands before each. */
export const beforeAll = beforeEach;
export const afterAll = afterEach;

function newBlock(name: string, parent?: Block): Block {
  return { name, parent, before: [], after: [] };
}

function nameOf({ parent, name }: Block): string {
  return parent === undefined ? name : `${nameOf(parent)} ${name}`.trim();
}

function stepsOf(own: Block | undefined, when: 'before' | 'after'): Step[] {
  return own === undefined ? [] : [...stepsOf(own.parent, when), ...own[when]];
}

/** Adds `each`, which declares once for each row. A row that is no list is the only argument. */
function withEach(declare: (name: string, body: Step) => void) {
  const each = (rows: readonly unknown[]) => (name: string, body: (...row: unknown[]) => unknown) =>
    rows.forEach((row, index) =>
      declare(`${name} (${index + 1})`, () =>
        body(...(rows.every(Array.isArray) ? (row as unknown[]) : [row])),
      ),
    );
  return Object.assign(declare, { each });
}
