// What `npm run faults` runs.
import 'reflect-metadata';
import '../support/typescript.mjs';

const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
