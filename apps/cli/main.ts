import 'reflect-metadata';
import { CliError } from './cli-error.js';
import { commandLineOf } from './command-line.js';
import { productVersion } from './product-version.js';
import { CountinghouseCommand } from './root.command.js';

const line = await commandLineOf(CountinghouseCommand, process.argv.slice(2), await productVersion());
await line.parseAsync().catch(async (error: Error) => {
  // This module is loaded only after an error, so that `--help` starts fast.
  const { SettingsError } = await import('#libs/kernel/system');
  const explained = error instanceof CliError || error instanceof SettingsError;
  process.stderr.write(`${explained ? error.message : (error.stack ?? error.message)}\n`);
  process.exitCode = 1;
});
