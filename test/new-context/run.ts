// `npm run new:context <name>`: writes an empty context with its read model and its endpoints.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import Handlebars from 'handlebars';
import * as prettier from 'prettier';
import { namesOf, type Names } from './names.ts';

const root = join(import.meta.dirname, '../..');
const template = join(import.meta.dirname, 'template');

const USAGE = `npm run new:context <name> [-- options]

  <name>              the name of its folder, in the plural: credit-types
  --singular NAME     one of them: credit-type (default: the name without its s)
  --id-prefix PREFIX  what its ids begin with, in small letters (default: the singular)

Writes libs/contexts/<name>, projections/<name> and apps/api/<name>. No program and no test has to be edited.
docs/architecture.md, "How to add…", goes on from there.
`;

/** From the files of the template to where they are written. */
const targets = ({ folder, file }: Names): Record<string, string> => ({
  'context/README.md': `libs/contexts/${folder}/README.md`,
  'context/context.ts': `libs/contexts/${folder}/${folder}.context.ts`,
  'context/events.ts': `libs/contexts/${folder}/events.ts`,
  'context/aggregate.ts': `libs/contexts/${folder}/${file}.ts`,
  'context/aggregate.spec.ts': `libs/contexts/${folder}/${file}.spec.ts`,
  'context/audit-trail-rules.ts': `libs/contexts/${folder}/audit-trail-rules.ts`,
  'context/permissions.ts': `libs/contexts/${folder}/permissions.ts`,
  'context/present.ts': `libs/contexts/${folder}/present.ts`,
  'context/commands/create.ts': `libs/contexts/${folder}/commands/create-${file}.ts`,
  'context/module.ts': `libs/contexts/${folder}/${folder}.module.ts`,
  'context/index.ts': `libs/contexts/${folder}/index.ts`,
  'read-models/index.ts': `projections/${folder}/index.ts`,
  'read-models/read-models.ts': `projections/${folder}/${folder}.read-models.ts`,
  'read-models/projection.ts': `projections/${folder}/${folder}.projection.ts`,
  'read-models/row.ts': `projections/${folder}/${file}-row.ts`,
  'read-models/queries.ts': `projections/${folder}/${file}-queries.ts`,
  'read-models/read.module.ts': `projections/${folder}/${folder}-read.module.ts`,
  'api/api.ts': `apps/api/${folder}/${folder}.api.ts`,
  'api/api.module.ts': `apps/api/${folder}/${folder}.api.module.ts`,
  'api/controller.ts': `apps/api/${folder}/${folder}.controller.ts`,
  'api/dto.ts': `apps/api/${folder}/${file}.dto.ts`,
  'api/test-endpoints.ts': `apps/api/${folder}/${folder}.test-endpoints.ts`,
  'api/e2e.spec.ts': `apps/api/${folder}/${folder}.e2e.spec.ts`,
});

/** Writes the files, or says why not. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const names = namesIn(args);
  if (typeof names === 'string') return print(`${names}\n`, 1);
  if (names === undefined) return print(USAGE, 0);
  const files = Object.entries(targets(names));
  const folders = ['libs/contexts', 'projections', 'apps/api'].map((parent) => `${parent}/${names.folder}`);
  const taken = folders.filter((folder) => existsSync(join(root, folder)));
  if (taken.length > 0) return print(`There is ${taken.join(' and ')} already: choose another name\n`, 1);
  const style = await prettier.resolveConfig(join(root, 'package.json'));
  for (const [source, target] of files) {
    const text = await readFile(join(template, `${source}.tpl`), 'utf8');
    const filled = Handlebars.compile(text, { noEscape: true, strict: true })(names);
    await mkdir(dirname(join(root, target)), { recursive: true });
    await writeFile(join(root, target), await prettier.format(filled, { ...style, filepath: target }));
  }
  return print(
    [
      `The context ${names.folder}:`,
      ...folders.map((folder) => `  ${folder}`),
      '',
      'npm run typecheck names what is missing when it grows.',
      `npm test -- ${names.folder} runs its tests.`,
      'docs/architecture.md, "How to add…", goes on from there.',
      '',
    ].join('\n'),
    0,
  );
}

/** What it is told to make; undefined if it is asked for help, and text if it cannot be made. */
function namesIn(args: string[]): Names | string | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean' },
        singular: { type: 'string' },
        'id-prefix': { type: 'string' },
      },
    });
    if (values.help) return undefined;
    const [folder, ...more] = positionals;
    if (folder === undefined || more.length > 0) return `Give one name\n\n${USAGE}`;
    return namesOf(folder, values.singular, values['id-prefix']);
  } catch (error) {
    return `${(error as Error).message}\n\n${USAGE}`;
  }
}

function print(text: string, code: number): number {
  (code === 0 ? process.stdout : process.stderr).write(text);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
