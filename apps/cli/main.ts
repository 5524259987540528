import 'reflect-metadata';
import { CommandFactory } from 'nest-commander';
import { SettingsError } from '#libs/core';
import { CliError } from './cli-error.js';
import { CliModule } from './cli.module.js';

await CommandFactory.run(CliModule, {
  logger: false,
  serviceErrorHandler: (error) => {
    const explained = error instanceof CliError || error instanceof SettingsError;
    process.stderr.write(`${explained ? error.message : (error.stack ?? error.message)}\n`);
    process.exitCode = 1;
  },
});
