import { settingSpecs } from '#libs/kernel/system';

/** Returns the list of all settings, as a section of a command's help. */
export function settingsHelp(): string {
  const specs = Object.values(settingSpecs);
  const width = Math.max(...specs.map(({ name }) => name.length));
  const lines = specs.map(({ name, description, fallback }) => {
    const standard = fallback === undefined ? '' : ` (default: ${fallback})`;
    return `  ${name.padEnd(width)}  ${description}${standard}`;
  });
  return ['', 'Settings, from the environment:', ...lines].join('\n');
}
