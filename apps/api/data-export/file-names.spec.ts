import { expect, it } from '@jest/globals';
import { FileNames } from './file-names.js';

const named = (...wanted: string[]): string[] => {
  const names = new FileNames();
  return wanted.map((one) => names.uniqueNameFor(one));
};

it('leaves a name as it is if it can be', () =>
  expect(named('INV-000042.pdf', 'INV-000043.pdf')).toEqual(['INV-000042.pdf', 'INV-000043.pdf']));

it('gives two documents two names, also where case and replaced characters make them the same', () =>
  expect(named('A/1.pdf', 'A:1.pdf', 'a_1.pdf', 'A_1-2.pdf')).toEqual([
    'A_1.pdf',
    'A_1-2.pdf',
    'a_1-3.pdf',
    'A_1-2-2.pdf',
  ]));

it.each(['../../etc/x.pdf', '..\\x.pdf', '/etc/x.pdf', 'C:\\x.pdf', '.hidden.pdf', '\u202ex.pdf'])(
  'has no path of %s',
  (wanted) => {
    const [name] = named(wanted);
    expect(name).toMatch(/^[A-Z_][\w.-]*\.pdf$/);
    expect(name).not.toContain('/');
  },
);
