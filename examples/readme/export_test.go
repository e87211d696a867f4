package main

// Confirm is confirm, for tests.
var Confirm = confirm
