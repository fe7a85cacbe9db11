// Saves text as a file, without network access.

/** @param {string} name @param {string} type @param {string} text */
export function saveText(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
