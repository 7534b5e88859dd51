"""Recordings: channels with their own instants, tables, bags, and processing for the methods on one time base."""
