import { expect, it } from '@jest/globals';
import { keepClassNames } from './class-names.mjs';

const NAMED = (name: string) => `{ static { Object.defineProperty(this, 'name', { value: '${name}' }); }`;

it.each([
  ['a plain class', 'class Plan {', `class Plan ${NAMED('Plan')}`],
  ['an exported class', 'export class Plan {', `export class Plan ${NAMED('Plan')}`],
  ['a decorated class', 'let Plan = class Plan {', `let Plan = class Plan ${NAMED('Plan')}`],
  [
    'a class after its comment',
    '/** A\n * plan. */ let Plan = class Plan {',
    `/** A\n * plan. */ let Plan = class Plan ${NAMED('Plan')}`,
  ],
  ['a class with a base', 'export class A extends B {', `export class A extends B ${NAMED('A')}`],
  [
    'a class whose base is made by a call',
    "export class A extends PickType(B, [\n  'a'\n], { b: {} }) {",
    `export class A extends PickType(B, [\n  'a'\n], { b: {} }) ${NAMED('A')}`,
  ],
])('names %s', (_, code, named) => {
  expect(keepClassNames(`${code}\n}\n`)).toBe(`${named}\n}\n`);
});

it('leaves words in comments and texts alone', () => {
  const code = "// The class Plan {\nconst text = 'class Plan {';\n * class Plan {\n";
  expect(keepClassNames(code)).toBe(code);
});

it('gives the class its name, whatever the variable is called', () => {
  const renamed = keepClassNames('class Plan {\n}\n').replace('class Plan', 'class Plan2');
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code is a line above
  const Class = new Function(`${renamed}; return Plan2;`)() as { name: string };
  expect(Class.name).toBe('Plan');
});
