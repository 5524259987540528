import { CliCommand } from '../cli-command.js';
import { CommandGroup } from '../command-group.js';
import { CliError } from '../cli-error.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';
import { UsageRebuildMetersCommand } from '../usage-meters/rebuild-meters.command.js';
import type { ImportOptions } from './import-usage.js';

interface Options extends Partial<Omit<ImportOptions, 'properties' | 'separator'>> {
  property?: string[];
  separator?: string;
}

/** The command `countinghouse usage import <file>`. */
@Command({
  name: 'import',
  arguments: '<file>',
  description:
    'Send the rows of a .csv, .ndjson or .jsonl file as usage events. Importing an unchanged file again, with the same name and options, ' +
    'counts nothing twice. The exit code is 1 if a row was rejected.',
  argsDescription: {
    file: 'a .csv file with a header row, or an .ndjson or .jsonl file with a usage event in each line',
  },
})
export class UsageImportCommand extends CliCommand {
  override async run([path]: string[], { property, separator, ...options }: Options): Promise<void> {
    const given = options.url ?? process.env['COUNTINGHOUSE_URL'];
    const apiKey = options.apiKey ?? process.env['COUNTINGHOUSE_API_KEY'];
    if (given !== undefined && !URL.canParse(given))
      throw new CliError(`--url "${given}" must be a URL, such as http://127.0.0.1:3000`);
    if (!apiKey) throw new CliError('An API key is needed: set COUNTINGHOUSE_API_KEY, or give --api-key');
    const { findApiUrl } = await import('../start/running-instance.js');
    const url = given?.replace(/\/$/, '') ?? (await findApiUrl(process.env));
    const { importUsage } = await import('./import-usage.js');
    const { describeImport } = await import('./import-text.js');
    const { separatorNamed } = await import('./mapping.js');
    const began = performance.now();
    const result = await importUsage(
      path!,
      {
        ...options,
        url,
        apiKey,
        ...(property ? { properties: property } : {}),
        ...(separator === undefined ? {} : { separator: separatorNamed(separator) }),
      },
      process.stderr,
    );
    const seconds = (performance.now() - began) / 1_000;
    for (const text of describeImport(result, seconds)) process.stdout.write(`${text}\n`);
    if (result.rejected > 0) process.exitCode = 1;
  }

  @Option({ flags: '--customer <id>', description: 'Customer of every row' })
  customer(value: string): string {
    return value;
  }

  @Option({
    flags: '--customer-column <column>',
    description: 'Column with the customer (default: customerId, customer_id or customer, in any case)',
  })
  customerColumn(value: string): string {
    return value;
  }

  @Option({ flags: '--event <name>', description: 'Event name of every row' })
  event(value: string): string {
    return value;
  }

  @Option({
    flags: '--event-column <column>',
    description: 'Column with the event name (default: eventName, event_name or event, in any case)',
  })
  eventColumn(value: string): string {
    return value;
  }

  @Option({
    flags: '--timestamp-column <column>',
    description:
      'Column with the time (default: timestamp, time, ts, datetime or date, in any case); a time without an offset is in UTC',
  })
  timestampColumn(value: string): string {
    return value;
  }

  @Option({
    flags: '--now',
    description: "The rows have no time, so count them at the workspace's present time",
  })
  now(): boolean {
    return true;
  }

  @Option({
    flags: '--backfill',
    description:
      'The rows belong to past periods and may be of any age; without this option they may be at most 35 days old',
  })
  backfill(): boolean {
    return true;
  }

  @Option({
    flags: '--key-column <column>',
    description: 'Column with the idempotency key (default: idempotencyKey or idempotency_key, in any case)',
  })
  keyColumn(value: string): string {
    return value;
  }

  @Option({
    flags: '--property <name=column[:number|:string]>',
    description:
      'A property and its column; repeat for more (default: every other column). Numbers become numbers, unless :string is given',
  })
  property(value: string, earlier: string[] = []): string[] {
    return [...earlier, value];
  }

  @Option({
    flags: '--separator <name>',
    description: 'What separates the columns: comma (default), semicolon, tab or pipe',
  })
  separator(value: string): string {
    return value;
  }

  @Option({
    flags: '--source <name>',
    description:
      "A text in the keys that are made for rows without a key (default: the file's name). Another text counts the rows again",
  })
  source(value: string): string {
    return value;
  }

  @Option({
    flags: '--url <url>',
    description: 'The API (default: COUNTINGHOUSE_URL, or that of PORT or of the instance in DATA_DIR)',
  })
  url(value: string): string {
    return value;
  }

  @Option({
    flags: '--api-key <key>',
    description: 'An API key that may write usage (default: COUNTINGHOUSE_API_KEY)',
  })
  apiKey(value: string): string {
    return value;
  }

  @AppendedHelp()
  examples(): string {
    return [
      '',
      'The options for columns, --now, --property and --separator are for .csv files. The lines of other files have the field names of POST /v1/events.',
      '',
      'Examples:',
      '  countinghouse usage import requests.csv --customer cust_1 --event llm.request',
      '  countinghouse usage import calls.csv --event api.call --customer-column tenant --property units=n:number',
      '  countinghouse usage import events.ndjson',
    ].join('\n');
  }
}

/** The command `countinghouse usage`, with subcommands to import usage and to rebuild meters. */
@Command({
  name: 'usage',
  description: 'Import usage, and rebuild the usage meters.',
  subCommands: [UsageImportCommand, UsageRebuildMetersCommand],
})
export class UsageCommand extends CommandGroup {}
