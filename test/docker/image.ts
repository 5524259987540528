import { execFile } from 'node:child_process';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Stage } from './dockerfile.js';

/*
 * Carries out the Dockerfile without Docker, as far as it is about files of ours: each stage becomes a folder. Packages are linked from the
 * installed ones by the lock file, so a test needs no registry.
 */

const root = process.cwd();
const INSTALL = 'npm ci --ignore-scripts --no-audit --no-fund';
const INSTALL_PRODUCTION = 'npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund';

/** A package as package-lock.json lists it, as far as this looks at it. */
interface LockedPackage {
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
}

/** Makes the folders of a Dockerfile's stages, each once. */
export class ImageFolders {
  private readonly made = new Map<string, string>();

  /**
   * @param folder where the folders are made
   * @param ignored the lines of the .dockerignore file
   */
  constructor(
    private readonly stages: ReadonlyMap<string, Stage>,
    private readonly ignored: readonly string[],
    private readonly folder: string,
  ) {}

  /** Returns the folder that is /app in the image of a stage. Throws an Error for an instruction that it does not know. */
  async make(name: string): Promise<string> {
    const known = this.made.get(name);
    if (known !== undefined) return known;
    const stage = this.stages.get(name)!;
    const copies = stage.instructions.some(({ keyword }) => keyword === 'COPY');
    if (copies && this.stages.has(stage.from)) throw new Error(`${name} adds files to another stage`);
    // A stage that adds no file of ours looks like the stage that it is built on.
    const folder = copies ? join(this.folder, name) : await this.make(stage.from);
    if (copies) mkdirSync(folder);
    for (const { keyword, text } of stage.instructions) {
      if (keyword === 'COPY') await this.copy(folder, text);
      if (keyword === 'RUN') for (const command of text.split('&&')) await this.run(folder, command.trim());
    }
    this.made.set(name, folder);
    return folder;
  }

  private async copy(folder: string, text: string): Promise<void> {
    const [, stage, files, target] = /^(?:--from=(\S+) )?(.*) (\S+)$/.exec(text)!;
    if (stage !== undefined) {
      // No other stage needs what this one takes, so it is moved.
      const source = join(await this.make(stage), files!.replace('/app/', ''));
      return renameSync(source, join(folder, target!));
    }
    for (const file of files!.split(' ')) {
      const place = target!.startsWith('./') ? join(folder, target!, file) : join(folder, target!);
      linkTree(join(root, file), place, (path) => !this.isIgnored(path));
    }
  }

  private async run(folder: string, command: string): Promise<void> {
    if (command === INSTALL_PRODUCTION) return linkProductionPackages(folder);
    if (command === INSTALL) return symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    if (command === 'npm run build') return build(folder);
    if (/^rm node_modules\/\S+$/.test(command)) return rmSync(join(folder, command.replace('rm ', '')));
    // Packages of Debian: the test brings the browser.
    if (/^apt-get |^rm -rf \/var\/lib\/apt\/lists/.test(command)) return undefined;
    throw new Error(`The Dockerfile runs "${command}", which this test does not know`);
  }

  /** Tells whether a line for all folders, such as that of specs, leaves the file out. */
  private isIgnored(path: string): boolean {
    return this.ignored.some((line) => line.startsWith('**/*') && basename(path).endsWith(line.slice(4)));
  }
}

/** Runs the program behind `npm run build` in a folder. */
async function build(folder: string): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: { build: string };
  };
  const [node, ...args] = scripts.build.split(' ');
  if (node !== 'node') throw new Error(`npm run build runs "${scripts.build}"`);
  await promisify(execFile)(process.execPath, args, { cwd: folder });
}

/** Links the packages that `npm ci --omit=dev --omit=optional` would install. */
function linkProductionPackages(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
    if (path === '' || dev || optional || devOptional) continue;
    // A package within another one has an entry of its own.
    linkTree(join(root, path), join(folder, path), (file) => basename(file) !== 'node_modules');
  }
}

/** Links a file, or all files below a folder. Copies them if the target is on another file system. */
function linkTree(source: string, target: string, isWanted: (path: string) => boolean): void {
  const entries = entriesOf(source);
  if (entries === undefined) return linkFile(source, target);
  mkdirSync(target, { recursive: true });
  for (const entry of entries) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (!isWanted(from)) continue;
    if (entry.isDirectory()) linkTree(from, to, isWanted);
    else if (entry.isFile()) linkFile(from, to);
  }
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function linkFile(source: string, target: string): void {
  mkdirSync(dirname(resolve(target)), { recursive: true });
  try {
    linkSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(source, target);
  }
}
