/** Gives modules of the console, which are made for a page, the address of one. Import it before them. */
Object.defineProperty(globalThis, "location", {
  value: new URL("http://127.0.0.1/#/files"),
  configurable: true,
});
