import type { DataFolder } from './data-folder.js';
import { LogFile } from './log-file.js';
import type { Terminal } from './terminal.js';

/** The log files of one instance. The terminal shows one message when writing fails, and one message when writing works again. */
export class InstanceLogs {
  private readonly files = new Map<string, LogFile>();
  /** The names of the log files that cannot be written now. */
  private readonly failing = new Set<string>();

  constructor(
    private readonly folder: DataFolder,
    private readonly terminal: Pick<Terminal, 'printLine'>,
  ) {}

  /** Returns the log file of a program. */
  logFileOf(name: string): LogFile {
    const file = this.files.get(name) ?? this.open(name);
    this.files.set(name, file);
    return file;
  }

  /** Writes all waiting lines and closes the files. */
  async close(): Promise<void> {
    await Promise.all([...this.files.values()].map((file) => file.close()));
  }

  private open(name: string): LogFile {
    return new LogFile(this.folder.logPathOf(name), {
      onFailure: ({ message }) => {
        if (this.failing.size === 0)
          this.terminal.printLine(`The log files cannot be written (${message}); everything else continues`);
        this.failing.add(name);
      },
      onRecovery: () => {
        this.failing.delete(name);
        if (this.failing.size === 0) this.terminal.printLine('The log files are written again');
      },
    });
  }
}
