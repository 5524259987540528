import { Command } from 'nest-commander';
import { loadSettings } from '#libs/core';
import { CliCommand } from '../cli-command.js';

/** `countinghouse openapi`. */
@Command({
  name: 'openapi',
  description: 'Print the OpenAPI document of the API, as /v1/openapi.json has it; nothing need run.',
})
export class OpenApiCommand extends CliCommand {
  override async run(): Promise<void> {
    const { documentWithoutServers } = await import('#apps/api');
    const document = await documentWithoutServers(loadSettings(process.env));
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  }
}
