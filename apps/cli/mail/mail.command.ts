import { CliCommand } from '../cli-command.js';
import { AppendedHelp, Command, Option } from '../command-decorators.js';
import { CommandGroup } from '../command-group.js';
import { parseCount } from '../parse-count.js';
import type { MailListOptions } from './mail.js';

const DEFAULT_LIMIT = 50;

/** The command `countinghouse mail list`. */
@Command({ name: 'list', description: 'List mail, newest first: sent mail, and mail that was not sent.' })
export class ListMailCommand extends CliCommand {
  @Option({ flags: '--workspace <id>', description: 'Only the mail of this workspace: acc_…' })
  workspace(value: string): string {
    return value;
  }

  @Option({ flags: '--status <status>', description: 'Only pending, sent, failed, withheld or unknown mail' })
  status(value: string): string {
    return value;
  }

  @Option({
    flags: '--limit <count>',
    description: `The maximum number of listed mail (default: ${DEFAULT_LIMIT})`,
  })
  limit(value: string): number {
    return parseCount('--limit', value);
  }

  @Option({ flags: '--json', description: 'Print one JSON object for each mail, a line each' })
  json(): boolean {
    return true;
  }

  override async run(
    _: string[],
    { json, limit = DEFAULT_LIMIT, ...filter }: Partial<MailListOptions> & { json?: boolean },
  ): Promise<void> {
    const mail = await import('./mail.js');
    const listed = await mail.listMail({ ...filter, limit }, process.env);
    process.stdout.write(
      json ? listed.map((one) => `${JSON.stringify(one)}\n`).join('') : mail.describeMailList(listed),
    );
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'Mail is withheld if MAIL_URL is not set, if the sandbox does not allow the address, or if its reason no longer holds. Withheld mail',
      'cannot be sent later. Mail is encrypted with JWT_SECRET, so the command needs it as a setting or in DATA_DIR.',
    ].join('\n');
  }
}

/** The command `countinghouse mail show`. */
@Command({
  name: 'show',
  description: 'Show one mail: its text, and what the mail server said.',
  arguments: '<id>',
  argsDescription: { id: 'The id of the mail: mail_…' },
})
export class ShowMailCommand extends CliCommand {
  @Option({ flags: '--json', description: 'Print the mail as JSON, with its HTML' })
  json(): boolean {
    return true;
  }

  override async run([id]: string[], { json }: { json?: boolean }): Promise<void> {
    const mail = await import('./mail.js');
    const shown = await mail.readMail(id!, process.env);
    process.stdout.write(json ? `${JSON.stringify(shown)}\n` : mail.describeMail(shown));
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'Links in mail can be credentials: links to sign in work until they are used or expire, and links to invoices do not expire.',
    ].join('\n');
  }
}

/** The command `countinghouse mail retry`. */
@Command({
  name: 'retry',
  description: 'Send again mail that failed, or whose delivery is unknown.',
  arguments: '<id>',
  argsDescription: { id: 'The id of the mail: mail_…' },
})
export class RetryMailCommand extends CliCommand {
  override async run([id]: string[]): Promise<void> {
    const mail = await import('./mail.js');
    const { attempts } = await mail.retryMail(id!, process.env);
    process.stdout.write(`${id} is sent again by the saga; attempts so far: ${attempts}\n`);
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'Mail is unknown if the connection to the mail server broke after the message and before its answer. The recipient may have it.',
      'Mail is not sent again once its link has expired. Mail to a customer is not sent again once it is 30 days old.',
    ].join('\n');
  }
}

/** The command `countinghouse mail`, with subcommands to look at mail and to send it again. */
@Command({
  name: 'mail',
  description: 'Look at mail that was sent or was not sent, and send it again.',
  subCommands: [ListMailCommand, ShowMailCommand, RetryMailCommand],
})
export class MailCommand extends CommandGroup {}
