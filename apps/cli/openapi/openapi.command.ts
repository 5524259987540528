import { CliCommand } from '../cli-command.js';
import { Command } from '../command-decorators.js';

/** The command `countinghouse openapi`. */
@Command({
  name: 'openapi',
  description:
    'Print the OpenAPI document of /v1/openapi.json, indented and without its `servers`. No server needs to run.',
})
export class OpenApiCommand extends CliCommand {
  override async run(): Promise<void> {
    const { openApiDocumentWithoutDatabases } = await import('#apps/api');
    const { loadSettings } = await import('#libs/kernel/system');
    const document = await openApiDocumentWithoutDatabases(loadSettings(process.env));
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  }
}
