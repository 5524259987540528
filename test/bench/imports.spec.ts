import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const folder = import.meta.dirname;
const IMPORTS = /import \{([^}]+)\} from '(#[^']+)'/g;

/** What the programs of the benchmark import from the product, as [program, module, name]. The types of `.mjs` files are not checked. */
const imported = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(IMPORTS)].flatMap(([, names, module]) =>
      names!.split(',').map((name) => [file, module!, name.trim()] as const),
    ),
  );

it.each(imported)('%s finds in %s the name %s', async (_, module, name) => {
  expect(await import(module)).toHaveProperty(name);
});
