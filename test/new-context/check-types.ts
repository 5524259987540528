// `node test/new-context/check-types.ts <folder>…`: prints the type errors of the files below these folders, as `tsc` does.
// A new folder cannot break the types of files that do not import it. So the others are read and not checked, which saves
// most of the time.
import { join } from 'node:path';
import ts from 'typescript';

const root = process.cwd();
const folders = process.argv.slice(2).map((folder) => join(root, folder, '/'));
const config = ts.getParsedCommandLineOfConfigFile(
  join(root, 'tsconfig.json'),
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  },
)!;
const files = config.fileNames.filter((file) => folders.some((folder) => file.startsWith(folder)));
if (files.length === 0) throw new Error(`There is no source below ${process.argv.slice(2).join(' and ')}`);
const program = ts.createProgram(files, config.options);
const errors = [
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...files.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file))),
];
const host = {
  getCanonicalFileName: (name: string) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
};
process.stdout.write(ts.formatDiagnostics(errors, host));
process.exitCode = errors.length === 0 ? 0 : 1;
